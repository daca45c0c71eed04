import FlyingFox
import FlyingSocks
import Foundation

/// A body whose parts come one after the other; an error ends the connection.
struct StreamedBody: AsyncBufferedSequence {
    typealias Element = UInt8
    let parts: AsyncThrowingStream<Data, any Error>

    func makeAsyncIterator() -> Iterator { Iterator(parts: parts.makeAsyncIterator()) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        var parts: AsyncThrowingStream<Data, any Error>.Iterator
        private var rest = Data()

        init(parts: AsyncThrowingStream<Data, any Error>.Iterator) {
            self.parts = parts
        }

        mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

        mutating func nextBuffer(suggested count: Int) async throws -> Data? {
            while rest.isEmpty {
                guard let part = try await parts.next() else { return nil }
                rest = part
            }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
    }
}

extension HTTPBodySequence {
    /// The number of bytes that are written at once.
    static let partByteCount = 1 << 16

    /// Creates a body of parts; without a length it is sent in chunks.
    init(_ parts: AsyncThrowingStream<Data, any Error>, length: Int?) {
        let body = StreamedBody(parts: parts)
        if let length {
            self.init(from: body, count: length, suggestedBufferSize: Self.partByteCount)
        } else {
            self.init(from: body, suggestedBufferSize: Self.partByteCount)
        }
    }
}
