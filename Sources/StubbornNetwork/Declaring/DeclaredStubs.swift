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
        /// What was declared. One reference, because a look-up copies it.
        let declaration: Declaration
        var uses = 0

        var isUsedUp: Bool { declaration.times.map { uses >= $0 } ?? false }
    }

    final class Declaration: Sendable {
        let handle: DeclaredStub
        let pattern: RequestPattern
        let answer: Answer
        /// How often it answers; `nil` for as often as it is asked.
        let times: Int?

        init(_ handle: DeclaredStub, _ pattern: RequestPattern, _ answer: Answer, times: Int?) {
            self.handle = handle
            self.pattern = pattern
            self.answer = answer
            self.times = times
        }
    }

    /// An index that does not change, for look-ups outside the lock.
    private final class Snapshot: Sendable {
        let index: PatternIndex

        init(_ index: PatternIndex) {
            self.index = index
        }
    }

    private struct State {
        /// By the positions that the index gives.
        var entries: [Int: Entry] = [:]
        var index = PatternIndex(options: .standard)
        /// Of the index as it is. `nil` from before each change, which would have to copy the index otherwise.
        var snapshot: Snapshot?
        /// Of the rules that the index goes by.
        var generation: Int?
    }

    private let state = Lock(State())

    func add(_ pattern: RequestPattern, _ answer: Answer, times: Int? = nil, place: String = "") -> DeclaredStub {
        state.withLock { state in
            state.snapshot = nil
            let handle = DeclaredStub(
                id: state.index.append(pattern),
                owner: ObjectIdentifier(self),
                description: pattern.description,
                place: place
            )
            let entry = Entry(declaration: Declaration(handle, pattern, answer, times: times))
            state.entries[handle.id] = entry
            if entry.isUsedUp { state.index.remove(handle.id) }
            return handle
        }
    }

    func remove(_ stub: DeclaredStub) {
        guard stub.owner == ObjectIdentifier(self) else { return }
        state.withLock { state in
            state.snapshot = nil
            state.index.remove(stub.id)
            state.entries[stub.id] = nil
        }
    }

    func removeAll() {
        state.withLock { state in
            state.snapshot = nil
            for position in state.entries.keys { state.index.remove(position) }
            state.entries = [:]
        }
    }

    /// All of them, in the order of their declaration.
    var all: [Entry] {
        state.withLock { $0.entries.values.sorted { $0.declaration.handle.id < $1.declaration.handle.id } }
    }

    func pattern(of stub: DeclaredStub) -> RequestPattern? {
        state.withLock { $0.entries[stub.id]?.declaration.pattern }
    }

    /// The stubs that have not answered, in the order of their declaration.
    var unused: [DeclaredStub] {
        all.filter { $0.uses == 0 }.map(\.declaration.handle)
    }

    var count: Int {
        state.withLock { $0.entries.count }
    }

    /// The response of the latest stub that answers the request; `nil` when none does.
    ///
    /// Patterns are asked and responses computed outside the lock: both may be the user's code, which may declare stubs.
    func response(to request: StubRequest, by rules: PlaybackRules) -> StubResponse? {
        while let (position, pathParameters) = snapshot(by: rules)?.index.latest(answering: request) {
            switch use(position) {
            // Removed, or used up by another request, since.
            case nil: continue
            case .response(let response): return response
            case .computed(let compute):
                var request = request
                request.pathParameters = pathParameters
                do { return try compute(request) } catch { return StubResponse(failure: StubFailure(error)) }
            }
        }
        return nil
    }

    private func snapshot(by rules: PlaybackRules) -> Snapshot? {
        state.withLock { state -> Snapshot? in
            guard !state.entries.isEmpty else { return nil }
            if state.generation != rules.generation {
                state.index = state.index.matching(by: rules.matchers)
                state.generation = rules.generation
                state.snapshot = nil
            }
            if let snapshot = state.snapshot { return snapshot }
            let snapshot = Snapshot(state.index)
            state.snapshot = snapshot
            return snapshot
        }
    }

    /// What one use of a stub gives.
    private enum Use {
        case response(StubResponse?)
        case computed(@Sendable (StubRequest) throws -> StubResponse)
    }

    /// Counts a use and gives what it comes to; `nil` where the stub has been removed or used up since. One that is used up
    /// by this is not found any more.
    private func use(_ position: Int) -> Use? {
        state.withLock { state in
            guard let entry = state.entries[position], !entry.isUsedUp else { return nil }
            state.entries[position]?.uses += 1
            if entry.declaration.times == entry.uses + 1 {
                state.snapshot = nil
                state.index.remove(position)
            }
            switch entry.declaration.answer {
            case .responses(let responses):
                return .response(responses.isEmpty ? nil : responses[min(entry.uses, responses.count - 1)])
            case .computed(let compute): return .computed(compute)
            }
        }
    }
}
