import Foundation

/// A response of which the body arrives in parts.
public struct StreamedResponse: Sendable {
    /// The status code and the header fields.
    public var head: ResponseHead

    /// The parts of the body as they arrive, without its content encoding; it throws the error that ends it early.
    ///
    /// The parts can be read once. Whoever stops reading cancels the exchange.
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
