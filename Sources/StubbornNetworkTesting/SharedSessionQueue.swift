import StubbornNetwork

/// A queue that runs tests with `URLSession.shared` one at a time on platforms that cannot assign its requests to
/// tasks.
actor SharedSessionQueue {
    private static let shared = SharedSessionQueue()

    private var isRunning = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `body`: at once on a platform that assigns requests to tasks, otherwise after the previous bodies.
    static func run(_ body: @Sendable () async throws -> Void) async throws {
        guard !StubbornNetwork.tellsSharedSessionTasksApart else { return try await body() }
        try await shared.runAlone(body)
    }

    /// Runs `body` when no other body runs, in the order of the calls.
    func runAlone(_ body: @Sendable () async throws -> Void) async throws {
        if isRunning {
            await withCheckedContinuation { waiting.append($0) }
        }
        isRunning = true
        defer { runNext() }
        try await body()
    }

    private func runNext() {
        guard !waiting.isEmpty else { return isRunning = false }
        // `isRunning` is still true, so that no new call runs before the waiting one.
        waiting.removeFirst().resume()
    }
}
