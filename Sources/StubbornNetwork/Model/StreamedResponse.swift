import Foundation

/// A response with a body that arrives in parts.
public struct StreamedResponse: Sendable {
    /// The status code and the header fields.
    public var head: ResponseHead

    /// The parts of the body as they arrive, without its content encoding.
    ///
    /// The stream throws the error that ends the body early. It can be read once; when its reader stops before the end, the
    /// exchange is cancelled.
    public var parts: AsyncThrowingStream<Data, any Error>

    /// Creates a response from a client's: `response.body.map { Data(buffer: $0) }`, for example.
    public init<Parts: AsyncSequence & Sendable>(head: ResponseHead, parts: Parts) where Parts.Element == Data {
        self.head = head
        self.parts = AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    for try await part in parts { continuation.yield(part) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    init(head: ResponseHead, stream: AsyncThrowingStream<Data, any Error>) {
        self.head = head
        parts = stream
    }

    /// Creates a response with a whole body.
    init(head: ResponseHead, body: Data?) {
        self.head = head
        parts = AsyncThrowingStream { continuation in
            if let body, !body.isEmpty { continuation.yield(body) }
            continuation.finish()
        }
    }
}
