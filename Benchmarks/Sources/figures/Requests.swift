import Foundation
import StubbornNetwork
import Synchronization

/// Requests that are made one after the other, or so many at a time.
struct Requests: Sendable {
    let session: URLSession
    let urls: [URL]
    /// How many are under way at a time.
    let width: Int
    /// How long each body is to be.
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

/// An answer that is not as long as it should be: what was measured was something else.
struct WrongAnswer: Error, CustomStringConvertible {
    let url: URL
    let byteCount: Int

    var description: String { "\(url) was answered with \(byteCount) bytes." }
}

/// The way from the benchmark library, which knows no concurrency, to what has to be awaited.
enum Waiting {
    /// Runs `body` on another thread, and blocks this one until it is through.
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
