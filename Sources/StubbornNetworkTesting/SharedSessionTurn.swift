import StubbornNetwork

/// Has tests that use `URLSession.shared` run one at a time where the platform cannot tell their requests apart.
actor SharedSessionTurn {
    private static let shared = SharedSessionTurn()

    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `body` when it is its turn: at once where requests can be told apart.
    static func take(_ body: @Sendable () async throws -> Void) async throws {
        guard !StubbornNetwork.tellsSharedSessionTasksApart else { return try await body() }
        try await shared.alone(body)
    }

    /// Runs `body` when nobody else is in here, in the order of arrival.
    func alone(_ body: @Sendable () async throws -> Void) async throws {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        }
        isTaken = true
        defer { next() }
        try await body()
    }

    private func next() {
        guard !waiting.isEmpty else { return isTaken = false }
        // Stays taken, so that nobody slips in between.
        waiting.removeFirst().resume()
    }
}
