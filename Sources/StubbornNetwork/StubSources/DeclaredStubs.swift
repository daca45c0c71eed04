import Foundation

/// A stub declared in code, as a handle to remove it by.
///
///     let outage = network.stub(.any, with: .status(503))
///     network.remove(outage)
public struct DeclaredStub: Sendable, Hashable, CustomStringConvertible {
    let id: Int

    /// Which requests the stub answers, in words.
    public let description: String

    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The stubs declared in code. Where several answer a request, the latest does.
final class DeclaredStubs: Sendable {
    /// What a declared stub answers with.
    enum Answer: Sendable {
        /// One after the other; the last one again and again.
        case responses([StubResponse])
        case computed(@Sendable (StubRequest) throws -> StubResponse)
    }

    private struct Entry: Sendable {
        let handle: DeclaredStub
        let pattern: RequestPattern
        let answer: Answer
        var uses = 0
    }

    private struct State {
        var entries: [Entry] = []
        var nextID = 0
    }

    private let state = Lock(State())

    func add(_ pattern: RequestPattern, _ answer: Answer) -> DeclaredStub {
        state.withLock { state in
            let handle = DeclaredStub(id: state.nextID, description: pattern.description)
            state.nextID += 1
            state.entries.append(Entry(handle: handle, pattern: pattern, answer: answer))
            return handle
        }
    }

    func remove(_ stub: DeclaredStub) {
        state.withLock { $0.entries.removeAll { $0.handle == stub } }
    }

    func removeAll() {
        state.withLock { $0.entries = [] }
    }

    var unused: [DeclaredStub] {
        state.withLock { state in state.entries.filter { $0.uses == 0 }.map(\.handle) }
    }

    var count: Int {
        state.withLock { $0.entries.count }
    }

    /// The response of the latest stub that answers the request; `nil` when none does.
    ///
    /// A computed response is computed here, outside the lock, so that it may declare stubs itself.
    func response(to request: StubRequest, by rules: PlaybackRules) -> StubResponse? {
        // Patterns run outside the lock as well: a custom one is the user's code.
        let entries = state.withLock { $0.entries }
        for entry in entries.reversed() {
            guard let match = entry.pattern.match(request, options: rules.matchers) else { continue }
            let use = use(entry.handle)
            switch entry.answer {
            case .responses(let responses):
                return responses.isEmpty ? nil : responses[min(use, responses.count - 1)]
            case .computed(let compute):
                var request = request
                request.pathParameters = match.pathParameters
                do { return try compute(request) } catch { return StubResponse(failure: StubFailure(error)) }
            }
        }
        return nil
    }

    /// Counts a use and returns how many there were before.
    private func use(_ stub: DeclaredStub) -> Int {
        state.withLock { state in
            guard let position = state.entries.lastIndex(where: { $0.handle == stub }) else { return 0 }
            state.entries[position].uses += 1
            return state.entries[position].uses - 1
        }
    }
}
