import Foundation

/// A stub declared in code, as a handle to remove it by.
///
///     let outage = network.stub(.any, with: .status(503))
///     network.remove(outage)
public struct DeclaredStub: Sendable, Hashable, CustomStringConvertible {
    /// Its position among the declared stubs.
    let id: Int
    /// Whose stub it is.
    let owner: ObjectIdentifier

    /// Which requests the stub answers, in words.
    public let description: String

    public static func == (left: Self, right: Self) -> Bool { left.id == right.id && left.owner == right.owner }
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
        let answer: Answer
        var uses = 0
    }

    private struct State {
        /// By the positions that the index gives.
        var entries: [Int: Entry] = [:]
        var index = PatternIndex(options: .standard)
        /// Of the rules that the index goes by.
        var generation: Int?
    }

    private let state = Lock(State())

    func add(_ pattern: RequestPattern, _ answer: Answer) -> DeclaredStub {
        state.withLock { state in
            let handle = DeclaredStub(
                id: state.index.append(pattern),
                owner: ObjectIdentifier(self),
                description: pattern.description
            )
            state.entries[handle.id] = Entry(handle: handle, answer: answer)
            return handle
        }
    }

    func remove(_ stub: DeclaredStub) {
        guard stub.owner == ObjectIdentifier(self) else { return }
        state.withLock { state in
            state.index.remove(stub.id)
            state.entries[stub.id] = nil
        }
    }

    func removeAll() {
        state.withLock { state in
            for position in state.entries.keys { state.index.remove(position) }
            state.entries = [:]
        }
    }

    /// The stubs that have not answered, in the order of their declaration.
    var unused: [DeclaredStub] {
        state.withLock { state in
            state.entries.values.filter { $0.uses == 0 }.map(\.handle).sorted { $0.id < $1.id }
        }
    }

    var count: Int {
        state.withLock { $0.entries.count }
    }

    /// The response of the latest stub that answers the request; `nil` when none does.
    ///
    /// Patterns are asked and responses computed outside the lock: both may be the user's code, which may declare stubs.
    func response(to request: StubRequest, by rules: PlaybackRules) -> StubResponse? {
        let index = state.withLock { state -> PatternIndex? in
            guard !state.entries.isEmpty else { return nil }
            if state.generation != rules.generation {
                state.index = state.index.matching(by: rules.matchers)
                state.generation = rules.generation
            }
            return state.index
        }
        guard let (position, match) = index?.latest(answering: request) else { return nil }
        guard let (answer, use) = use(position) else { return nil }
        switch answer {
        case .responses(let responses):
            return responses.isEmpty ? nil : responses[min(use, responses.count - 1)]
        case .computed(let compute):
            var request = request
            request.pathParameters = match.pathParameters
            do { return try compute(request) } catch { return StubResponse(failure: StubFailure(error)) }
        }
    }

    /// Counts a use; gives the answer and how many uses there were before. `nil` where the stub has been removed since.
    private func use(_ position: Int) -> (answer: Answer, before: Int)? {
        state.withLock { state in
            guard let entry = state.entries[position] else { return nil }
            state.entries[position]?.uses += 1
            return (entry.answer, entry.uses)
        }
    }
}
