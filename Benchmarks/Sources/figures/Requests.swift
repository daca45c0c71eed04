import Foundation
import StubbornNetwork
import Synchronization

/// Requests that are made one after the other, or several at a time.
struct Requests: Sendable {
    let session: URLSession
    let urls: [URL]
    /// The number of requests that run at the same time.
    let width: Int
    /// The length of each body.
    let bodyByteCount: Int

    /// Makes all of them, and waits.
    ///
    /// - Throws: a request's error, or `WrongAnswer`.
    func make() throws {
        try Waiting.run {
            if width == 1 {
                for url in urls { try await check(url) }
                return
            }
            for start in stride(from: 0, to: urls.count, by: width) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for url in urls[start..<min(start + width, urls.count)] {
                        group.addTask { try await check(url) }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    private func check(_ url: URL) async throws {
        let (data, _) = try await session.data(from: url)
        guard data.count == bodyByteCount else { throw WrongAnswer(url: url, byteCount: data.count) }
    }
}

/// The error for an answer of the wrong length, so that the measurement is wrong.
struct WrongAnswer: Error, CustomStringConvertible {
    let url: URL
    let byteCount: Int

    var description: String { "\(url) was answered with \(byteCount) bytes." }
}

/// A bridge from the benchmark library, which has no concurrency, to asynchronous code.
enum Waiting {
    /// Runs `body` on a different thread, and blocks this one until it has finished.
    static func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let outcome = Outcome()
        let isOver = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await body() } catch { outcome.error.withLock { $0 = error } }
            isOver.signal()
        }
        isOver.wait()
        if let error = outcome.error.withLock({ $0 }) { throw error }
    }

    private final class Outcome: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }
}
