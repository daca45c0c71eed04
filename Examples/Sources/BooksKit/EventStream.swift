// Server-sent events on every platform: on Linux, URLSession has no `bytes(for:)`.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The delegate of a session that has a single response, a stream of events.
// Unchecked, because the session calls its delegate on one serial queue.
final class EventStream: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let continuation: AsyncThrowingStream<Data, any Error>.Continuation
    private var buffer = Data()

    /// Returns the data of each event, as it arrives.
    ///
    /// The session is made from the configuration of an existing session, because a delegate belongs to one session. In a test, the
    /// same network answers the session while the test runs.
    ///
    /// - Parameters:
    ///   - request: the request. The request is cancelled when the caller stops listening.
    ///   - session: the session whose configuration is used.
    /// - Returns: the events, until the server ends the response.
    static func events(of request: URLRequest, like session: URLSession) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            let delegate = EventStream(continuation)
            let session = URLSession(configuration: session.configuration, delegate: delegate, delegateQueue: nil)
            let task = session.dataTask(with: request)
            continuation.onTermination = { _ in task.cancel() }
            task.resume()
            session.finishTasksAndInvalidate()
        }
    }

    private init(_ continuation: AsyncThrowingStream<Data, any Error>.Continuation) {
        self.continuation = continuation
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        do {
            try BooksError.check(response)
        } catch {
            continuation.finish(throwing: error)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        buffer += data
        while let end = buffer.range(of: Data("\n\n".utf8)) {
            let event = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
            buffer.removeSubrange(..<end.upperBound)
            for line in event.split(separator: "\n") where line.hasPrefix("data: ") {
                continuation.yield(Data(line.dropFirst("data: ".count).utf8))
            }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation.finish(throwing: error)
    }
}
