import Foundation

/// A stub declared in code, or a pass-through rule.
///
/// Pass it to `remove(_:)` to remove the stub.
///
///     let outage = network.stub(.path("/users"), with: .status(503))
///     print(outage)               // path /users at LoginTests.swift:12
///     network.remove(outage)
public struct DeclaredStub: Sendable, Hashable, CustomStringConvertible {
    /// The number of the stub in the order of declaration, in all networks of the process.
    let id: Int
    let pattern: String
    /// The file and line of the declaration: `LoginTests.swift:12`.
    let location: String

    /// The pattern of the requests that the stub answers, and the file and line of the declaration.
    public var description: String { "\(pattern) at \(location)" }
}

/// The stubs declared in code.
///
/// The most recent one that matches a request and is not used up answers it.
final class DeclaredStubs: Sendable {
    /// The reply of a declared stub or a pass-through rule to a request.
    enum Reply: Sendable {
        case response(StubResponse)
        case passThrough
    }

    /// Returns the response to a request; `uses` is the number of requests that the stub has answered before.
    typealias Responder = @Sendable (_ request: StubRequest, _ uses: Int) throws -> StubResponse?

    struct Entry: Sendable {
        let handle: DeclaredStub
        let pattern: RequestPattern
        /// The function that makes the responses; `nil` for a pass-through rule.
        let respond: Responder?
        /// The number of requests that the stub answers; `nil` for any number.
        let times: Int?
        var uses = 0

        var isUsedUp: Bool { times.map { uses >= $0 } ?? false }
    }

    private struct State {
        /// The entries by the numbers of their stubs, including used-up ones.
        var entries: [Int: Entry] = [:]
        /// The numbers of the stubs that are not used up, by the path that their pattern requires; `nil` for any path.
        var idsByPath: [String?: Set<Int>] = [:]

        /// Removes a stub from the index, so that no request finds it.
        mutating func hide(_ id: Int) {
            guard let entry = entries[id] else { return }
            idsByPath[entry.pattern.node.requiredPath]?.remove(id)
        }
    }

    private static let lastID = Lock(0)
    private let state = Lock(State())

    func add(_ pattern: RequestPattern, times: Int?, location: String, _ respond: Responder?) -> DeclaredStub {
        let id = Self.lastID.withLock { $0.increment() }
        let handle = DeclaredStub(id: id, pattern: pattern.description, location: location)
        return state.withLock { state in
            let entry = Entry(handle: handle, pattern: pattern, respond: respond, times: times)
            state.entries[handle.id] = entry
            if !entry.isUsedUp { state.idsByPath[pattern.node.requiredPath, default: []].insert(handle.id) }
            return handle
        }
    }

    func remove(_ stub: DeclaredStub) {
        state.withLock { state in
            state.hide(stub.id)
            state.entries[stub.id] = nil
        }
    }

    func removeAll() { state.withLock { $0 = State() } }

    /// The stubs in the order of their declaration, without pass-through rules.
    private var all: [Entry] {
        state.withLock { $0.entries.values.filter { $0.respond != nil } }.sorted { $0.handle.id < $1.handle.id }
    }

    var unused: [Entry] { all.filter { $0.uses == 0 } }

    /// Returns the reply of the most recent stub that answers a request, and counts the use of the stub.
    ///
    /// Patterns and computed responses may be the user's code, which may declare stubs: they run outside the lock.
    func reply(to request: StubRequest, matchers: RequestMatcherOptions, placeholders: [String]) -> Reply? {
        guard request.valueName == nil, state.withLock({ !$0.idsByPath.isEmpty }) else { return nil }
        let subject = PatternSubject(ParsedRequest(request), options: matchers, placeholders: placeholders)
        for (id, pattern) in candidates(for: subject) {
            // In the meantime, a different request may have used up the stub, or somebody may have removed it.
            guard let pathParameters = pattern.node.match(subject), let (respond, uses) = use(id) else { continue }
            guard let respond else { return .passThrough }
            var request = request
            request.pathParameters = pathParameters
            do {
                return try respond(request, uses).map(Reply.response)
            } catch {
                return .response(StubResponse(failure: StubFailure(error)))
            }
        }
        return nil
    }

    /// Returns the stubs that may answer a request by its path, the latest first.
    private func candidates(for subject: PatternSubject) -> [(id: Int, pattern: RequestPattern)] {
        state.withLock { state in
            let ids =
                subject.options.comparesWholePaths
                ? [subject.request.url.path, nil].flatMap { state.idsByPath[$0] ?? [] }
                : state.idsByPath.values.flatMap { $0 }
            return ids.sorted(by: >).compactMap { id in state.entries[id].map { (id, $0.pattern) } }
        }
    }

    /// Counts a use of a stub, and returns the number of uses before; `nil` if it has been removed or is used up.
    private func use(_ id: Int) -> (respond: Responder?, uses: Int)? {
        state.withLock { state in
            guard let entry = state.entries[id], !entry.isUsedUp else { return nil }
            state.entries[id]?.uses += 1
            if entry.times == entry.uses + 1 { state.hide(id) }
            return (entry.respond, entry.uses)
        }
    }
}

/// The findings of the declared stubs about a request that none of them answers.
struct DeclaredDiagnosis: Sendable {
    var count = 0
    /// The stubs that match and are used up: `GET /users at LoginTests.swift:12, 2 times`.
    var usedUp: [String] = []
    /// The stub with the fewest unmet conditions, and these conditions.
    var nearest: (stub: DeclaredStub, failing: [RequestDifference])?
}

extension DeclaredStubs {
    private static let maximumComparisonCount = 500

    /// Returns the findings about a request that no declared stub answers, including those of the patterns in code.
    func diagnose(_ subject: PatternSubject) -> DeclaredDiagnosis {
        let entries = all
        let latest = entries.reversed().prefix(Self.maximumComparisonCount)
        let usedUp = latest.filter(\.isUsedUp).filter { $0.pattern.node.match(subject) != nil }
        let misses = latest.filter { !$0.isUsedUp }.map { (stub: $0.handle, miss: $0.pattern.node.nearMiss(subject)) }
        let nearest = misses.filter { $0.miss.isNear }.min { $0.miss < $1.miss }
        return DeclaredDiagnosis(
            count: entries.count,
            usedUp: usedUp.map { "\($0.handle), \($0.uses.counting("time"))" },
            nearest: nearest.map { ($0.stub, $0.miss.failing) }
        )
    }
}
