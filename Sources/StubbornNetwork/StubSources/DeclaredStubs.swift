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

    /// Where it was declared: `LoginTests.swift:12`.
    let place: String

    public static func == (left: Self, right: Self) -> Bool { left.id == right.id && left.owner == right.owner }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The stubs declared in code. Where several answer a request, the latest does that has not answered as often as it may.
final class DeclaredStubs: Sendable {
    /// What a declared stub answers with.
    enum Answer: Sendable {
        /// One after the other; the last one again and again.
        case responses([StubResponse])
        case computed(@Sendable (StubRequest) throws -> StubResponse)
    }

    struct Entry: Sendable {
        let handle: DeclaredStub
        let pattern: RequestPattern
        let answer: Answer
        /// How often it answers; `nil` for as often as it is asked.
        let times: Int?
        var uses = 0

        var isUsedUp: Bool { times.map { uses >= $0 } ?? false }
    }

    private struct State {
        /// By the positions that the index gives.
        var entries: [Int: Entry] = [:]
        var index = PatternIndex(options: .standard)
        /// Of the rules that the index goes by.
        var generation: Int?
    }

    private let state = Lock(State())

    func add(_ pattern: RequestPattern, _ answer: Answer, times: Int? = nil, place: String = "") -> DeclaredStub {
        state.withLock { state in
            let handle = DeclaredStub(
                id: state.index.append(pattern),
                owner: ObjectIdentifier(self),
                description: pattern.description,
                place: place
            )
            let entry = Entry(handle: handle, pattern: pattern, answer: answer, times: times)
            state.entries[handle.id] = entry
            if entry.isUsedUp { state.index.remove(handle.id) }
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

    /// All of them, in the order of their declaration.
    var all: [Entry] {
        state.withLock { $0.entries.values.sorted { $0.handle.id < $1.handle.id } }
    }

    func pattern(of stub: DeclaredStub) -> RequestPattern? {
        state.withLock { $0.entries[stub.id]?.pattern }
    }

    /// The stubs that have not answered, in the order of their declaration.
    var unused: [DeclaredStub] {
        all.filter { $0.uses == 0 }.map(\.handle)
    }

    var count: Int {
        state.withLock { $0.entries.count }
    }

    /// The response of the latest stub that answers the request; `nil` when none does.
    ///
    /// Patterns are asked and responses computed outside the lock: both may be the user's code, which may declare stubs.
    func response(to request: StubRequest, by rules: PlaybackRules) -> StubResponse? {
        while let (position, match) = latest(answering: request, by: rules) {
            // Used up by another request since.
            guard let (answer, use) = use(position) else { continue }
            switch answer {
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

    // A function of its own, so that the copy of the index is gone before the index changes.
    private func latest(
        answering request: StubRequest,
        by rules: PlaybackRules
    ) -> (position: Int, match: PatternMatch)? {
        let index = state.withLock { state -> PatternIndex? in
            guard !state.entries.isEmpty else { return nil }
            if state.generation != rules.generation {
                state.index = state.index.matching(by: rules.matchers)
                state.generation = rules.generation
            }
            return state.index
        }
        return index?.latest(answering: request)
    }

    /// Counts a use; gives the answer and how many uses there were before. `nil` where the stub has been removed or used
    /// up since. One that is used up by this is not found any more.
    private func use(_ position: Int) -> (answer: Answer, before: Int)? {
        state.withLock { state in
            guard let entry = state.entries[position], !entry.isUsedUp else { return nil }
            state.entries[position]?.uses += 1
            if entry.times == entry.uses + 1 { state.index.remove(position) }
            return (entry.answer, entry.uses)
        }
    }
}
