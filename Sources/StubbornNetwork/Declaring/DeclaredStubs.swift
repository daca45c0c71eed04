import Foundation

/// A stub declared in code, or a pass-through rule.
///
/// Pass it to `remove(_:)` to remove the stub.
///
///     let outage = network.stub(.path("/users"), with: .status(503))
///     print(outage)               // path /users at LoginTests.swift:12
///     network.remove(outage)
public struct DeclaredStub: Sendable, Hashable, CustomStringConvertible {
    /// The number of the stub in the order of declaration, from 0.
    let id: Int
    /// The network's declared stubs, of which this is one.
    let owner: ObjectIdentifier
    /// The pattern of the requests that the stub answers, in words.
    let pattern: String
    /// The file and line of the declaration: `LoginTests.swift:12`.
    let location: String

    /// The pattern of the requests that the stub answers, and the file and line of the declaration.
    public var description: String { "\(pattern) at \(location)" }

    /// Returns a Boolean value that indicates whether two values stand for the same declaration.
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id && left.owner == right.owner }
    /// Feeds the stub into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The stubs declared in code.
///
/// When several match a request, the latest one that is not used up answers.
final class DeclaredStubs: Sendable {
    /// The response of a declared stub.
    enum Answer: Sendable {
        /// One response after the other.
        ///
        /// The last one is repeated.
        case responses([StubResponse])
        case computed(@Sendable (StubRequest) throws -> StubResponse)
        /// The request goes to the real server.
        case passThrough

        var isResponse: Bool {
            if case .passThrough = self { false } else { true }
        }
    }

    /// The reply to a request that a declared stub or a pass-through rule decides on.
    enum Reply: Sendable {
        case response(StubResponse)
        /// The request goes to the real server.
        case passThrough
    }

    /// A declaration.
    ///
    /// It is one reference, because a look-up copies it.
    final class Declaration: Sendable {
        let handle: DeclaredStub
        let pattern: RequestPattern
        let answer: Answer
        /// The number of requests that the stub answers; `nil` for any number.
        let times: Int?

        init(_ handle: DeclaredStub, _ pattern: RequestPattern, _ answer: Answer, times: Int?) {
            self.handle = handle
            self.pattern = pattern
            self.answer = answer
            self.times = times
        }
    }

    struct Entry: Sendable {
        let declaration: Declaration
        var uses = 0

        var isUsedUp: Bool { declaration.times.map { uses >= $0 } ?? false }
    }

    /// An unchanging index, for look-ups outside the lock.
    private final class Snapshot: Sendable {
        let index: PatternIndex

        init(_ index: PatternIndex) {
            self.index = index
        }
    }

    private struct State {
        /// The entries by their numbers in the index.
        var entries: [Int: Entry] = [:]
        var index = PatternIndex(options: .standard)
        /// A snapshot of the current index.
        ///
        /// It is `nil` during a change, which would copy the index otherwise.
        var snapshot: Snapshot?
        /// The generation of the matchers that the index uses.
        var generation: Int?
    }

    private let state = Lock(State())

    func add(_ pattern: RequestPattern, _ answer: Answer, times: Int?, location: String) -> DeclaredStub {
        state.withLock { state in
            state.snapshot = nil
            let handle = DeclaredStub(
                id: state.index.append(pattern),
                owner: ObjectIdentifier(self),
                pattern: pattern.description,
                location: location
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
            for id in state.entries.keys { state.index.remove(id) }
            state.entries = [:]
        }
    }

    /// All stubs, in the order of their declaration.
    var all: [Entry] {
        state.withLock { $0.entries.values.sorted { $0.declaration.handle.id < $1.declaration.handle.id } }
    }

    /// The stubs that have answered no request, in the order of their declaration.
    var unused: [Declaration] {
        all.filter { $0.uses == 0 && $0.declaration.answer.isResponse }.map(\.declaration)
    }

    /// Returns the reply to a request, and counts the use of the stub.
    ///
    /// Patterns are evaluated and responses computed outside the lock: both may be the user's code, which may declare
    /// stubs.
    ///
    /// - Parameters:
    ///   - request: the request to answer.
    ///   - matchers: the matchers for a pattern that compares whole requests.
    ///   - generation: a number that changes whenever the matchers do.
    /// - Returns: the reply of the latest stub that answers the request; `nil` when none does.
    func reply(to request: StubRequest, matchers: RequestMatcherOptions, generation: Int) -> Reply? {
        while let (id, pathParameters) = snapshot(matchers, generation)?.index.latest(answering: request) {
            // Another request may have used up the stub since, or somebody may have removed it.
            guard let (answer, uses) = use(id) else { continue }
            switch answer {
            case .responses(let responses):
                return responses.isEmpty ? nil : .response(responses[min(uses, responses.count - 1)])
            case .computed(let compute):
                var request = request
                request.pathParameters = pathParameters
                do {
                    return .response(try compute(request))
                } catch {
                    return .response(StubResponse(failure: StubFailure(error)))
                }
            case .passThrough: return .passThrough
            }
        }
        return nil
    }

    private func snapshot(_ matchers: RequestMatcherOptions, _ generation: Int) -> Snapshot? {
        state.withLock { state -> Snapshot? in
            guard !state.entries.isEmpty else { return nil }
            if state.generation != generation {
                state.index = state.index.matching(by: matchers)
                state.generation = generation
                state.snapshot = nil
            }
            if let snapshot = state.snapshot { return snapshot }
            let snapshot = Snapshot(state.index)
            state.snapshot = snapshot
            return snapshot
        }
    }

    /// Counts a use of a stub, and returns its answer and the number of uses before; `nil` for a stub that has been
    /// removed or is used up.
    private func use(_ id: Int) -> (answer: Answer, uses: Int)? {
        state.withLock { state in
            guard let entry = state.entries[id], !entry.isUsedUp else { return nil }
            state.entries[id]?.uses += 1
            if entry.declaration.times == entry.uses + 1 {
                state.snapshot = nil
                state.index.remove(id)
            }
            return (entry.declaration.answer, entry.uses)
        }
    }
}
