import Foundation

/// A network's interception of `URLSession.shared`.
///
/// It is created by `interceptSharedSession()`.
public final class SharedSessionInterception: Sendable {
    /// The interception of the running task.
    @TaskLocal static var ofTask: SharedSessionInterception?

    let number: Int
    let name: String

    /// Begins an interception, for requests that no other one takes if `onFallback` is given.
    init(_ engine: Engine, name: String, onFallback: (@Sendable (URLRequest) -> Void)? = nil) {
        self.name = name
        number = SharedSessionInterceptions.shared.begin(engine, name: name, onFallback: onFallback)
    }

    /// Ends the interception.
    ///
    /// Requests that have been started are still answered. Later calls do nothing.
    public func end() {
        SharedSessionInterceptions.shared.end(number)
    }
}

/// The destination of a request of `URLSession.shared`.
enum SharedSessionRoute: Equatable {
    /// The real server: no interception is in force.
    case realNetwork
    /// The interception of this number.
    case interception(Int)
    /// None: the interception of the request's task has ended, and others are in force.
    case ended
    /// None: interceptions of several networks are in force, and the request's task belongs to none of them.
    case ambiguous

    /// Finds the destination of a request.
    ///
    /// - Parameters:
    ///   - task: the number of the interception to which the task belongs that starts the request.
    ///   - networks: the networks of the interceptions in force, by the interceptions' numbers.
    ///   - fallback: the number of the interception that takes the request if no other is in force.
    init(task: Int?, inForce networks: [Int: ObjectIdentifier], fallback: Int? = nil) {
        if networks.isEmpty {
            self = fallback.map(Self.interception) ?? .realNetwork
        } else if let task {
            self = networks[task] == nil ? .ended : .interception(task)
        } else if let latest = networks.keys.max(), Set(networks.values).count == 1 {
            // Two interceptions of one network give the same answer.
            self = .interception(latest)
        } else {
            self = .ambiguous
        }
    }
}

/// The interceptions of `URLSession.shared` that are in force, and the protocol class of each.
///
/// Classes are put into the session in lots, before the requests that need them, and stay there. Foundation reads the
/// session's list while tasks start, so it is changed as rarely as possible. A class without an interception accepts no
/// request.
final class SharedSessionInterceptions: Sendable {
    static let shared = SharedSessionInterceptions()

    /// The number of classes that are made at a time.
    static let lotSize = 64

    fileprivate struct Entry {
        let number: Int
        let name: String
        let engine: Engine
        let protocolClass: SharedSessionURLProtocol.Type
        /// The function to call for each request, if it takes those that no other interception takes.
        let onFallback: (@Sendable (URLRequest) -> Void)?
        /// The number of requests that were claimed and have not started to load.
        var claims = 0
        var isEnded = false
    }

    fileprivate struct State {
        var lastNumber = 0
        /// The networks of the interceptions in force, by the interceptions' numbers.
        var networks: [Int: ObjectIdentifier] = [:]
        /// The number of the interception that takes the requests that no other takes.
        var fallback: Int?
        /// The interceptions that are in force, or have ended with claims.
        var entries: [ObjectIdentifier: Entry] = [:]
        var free: [SharedSessionURLProtocol.Type] = []
        var refusals: [URL?: StubbornNetworkError] = [:]
    }

    // Foundation holds its lock on registered classes while it calls `canInit`, which takes this one. So do not call
    // Foundation's URL loading while this one is held.
    private let state = Lock(State())
    // Never taken in `canInit`.
    private let classes = Lock<[SharedSessionURLProtocol.Type]>([])

    var classCount: Int { classes.withLock { $0.count } }

    /// A Boolean value that indicates whether any interception is in force.
    var isAnyInForce: Bool { state.withLock { !$0.networks.isEmpty || $0.fallback != nil } }

    // MARK: Beginning and ending

    /// Begins an interception and returns its number.
    func begin(_ engine: Engine, name: String, onFallback: (@Sendable (URLRequest) -> Void)? = nil) -> Int {
        classes.withLock { classes in
            install(&classes)
            return state.withLock { state in
                state.lastNumber += 1
                let number = state.lastNumber
                // There is a free class: `classes` is locked, and only this function takes them.
                let protocolClass = state.free.removeFirst()
                state.entries[ObjectIdentifier(protocolClass)] = Entry(
                    number: number,
                    name: name,
                    engine: engine,
                    protocolClass: protocolClass,
                    onFallback: onFallback
                )
                if onFallback == nil {
                    state.networks[number] = ObjectIdentifier(engine)
                } else {
                    state.fallback = number
                }
                return number
            }
        }
    }

    /// Ends an interception.
    ///
    /// Its claims are dropped after a time: Foundation may call `canInit` several times for a request, or not load it
    /// then.
    func end(_ number: Int, claimTimeout: DispatchTimeInterval = .seconds(30)) {
        change(number) { $0.isEnded = true }
        guard state.withLock({ $0.key(of: number) != nil }) else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + claimTimeout) {
            self.change(number) { $0.claims = 0 }
        }
    }

    private func change(_ number: Int, _ change: (inout Entry) -> Void) {
        let gone = state.withLock { state in state.key(of: number).flatMap { state.change($0, change) } }
        // The engine may be freed here, outside the lock.
        _ = gone
    }

    /// Makes sure that there is a free class, and that the session has all classes, even after its list was replaced.
    private func install(_ classes: inout [SharedSessionURLProtocol.Type]) {
        let hasFree = state.withLock { !$0.free.isEmpty }
        let lot =
            hasFree
            ? [] : (classes.count..<classes.count + Self.lotSize).map { SharedSessionURLProtocol.shared(number: $0) }
        guard !lot.isEmpty || !SharedSessionHook.contains(UnclaimedRequestURLProtocol.self) else { return }
        classes += lot
        SharedSessionHook.putFirst(classes + [UnclaimedRequestURLProtocol.self])
        state.withLock { $0.free += lot }
    }

    // MARK: Requests

    /// Claims a request for the interception of a class, and returns a Boolean value that indicates whether it is for
    /// that interception.
    ///
    /// Called for every class at every request, so `isStubbable` is called last: it returns whether requests like it are
    /// answered. `task` is the number of the interception whose task starts the request.
    func claim(
        _ request: URLRequest,
        for protocolClass: SharedSessionURLProtocol.Type,
        task: Int?,
        if isStubbable: () -> Bool
    ) -> Bool {
        let claimed = state.withLock { state -> Entry? in
            let key = ObjectIdentifier(protocolClass)
            guard let entry = state.entries[key], !entry.isEnded else { return nil }
            let route = SharedSessionRoute(task: task, inForce: state.networks, fallback: state.fallback)
            guard route == .interception(entry.number), isStubbable() else { return nil }
            state.entries[key]?.claims += 1
            return entry
        }
        // Called where the request is started, so that the task, and with it the test, is known.
        claimed?.onFallback?(request)
        return claimed != nil
    }

    /// Releases the claim of a request and returns the engine that answers it, even if the interception has ended.
    func releaseClaim(for protocolClass: SharedSessionURLProtocol.Type) -> Engine? {
        let (engine, gone) = state.withLock { state -> (Engine?, Entry?) in
            let key = ObjectIdentifier(protocolClass)
            let engine = state.entries[key]?.engine
            return (engine, state.change(key) { $0.claims = max(0, $0.claims - 1) })
        }
        _ = gone
        return engine
    }

    /// Returns a Boolean value that indicates whether a request that no interception has claimed must fail.
    func refuse(_ url: URL?, task: SharedSessionInterception?) -> Bool {
        state.withLock { state in
            let error: StubbornNetworkError
            switch SharedSessionRoute(task: task?.number, inForce: state.networks, fallback: state.fallback) {
            case .realNetwork: return false
            case .ended: error = .interceptionEnded(url, name: task?.name ?? "")
            // The interception that should have claimed it began or ended after its class was called.
            case .interception, .ambiguous: error = .ambiguousInterception(url, inForce: state.names)
            }
            if state.refusals.count >= 100 { state.refusals = [:] }
            state.refusals[url] = error
            return true
        }
    }

    /// Returns the error of a request that was refused.
    func reasonForRefusal(of url: URL?) -> StubbornNetworkError {
        state.withLock { $0.refusals[url] ?? .ambiguousInterception(url, inForce: $0.names) }
    }
}

extension SharedSessionInterceptions.State {
    /// The names of the interceptions in force, for a text.
    fileprivate var names: [String] {
        entries.values.filter { networks[$0.number] != nil }.sorted { $0.number < $1.number }.map(\.name)
    }

    /// Returns the class of an interception; `nil` if it has ended without claims.
    fileprivate func key(of number: Int) -> ObjectIdentifier? {
        entries.first { $0.value.number == number }?.key
    }

    /// Changes an interception, and returns it if it is done: it has ended without claims, and its class is free.
    fileprivate mutating func change(
        _ key: ObjectIdentifier,
        _ change: (inout SharedSessionInterceptions.Entry) -> Void
    ) -> SharedSessionInterceptions.Entry? {
        guard var entry = entries[key] else { return nil }
        change(&entry)
        entries[key] = entry
        guard entry.isEnded else { return nil }
        networks[entry.number] = nil
        if fallback == entry.number { fallback = nil }
        guard entry.claims == 0 else { return nil }
        entries[key] = nil
        free.append(entry.protocolClass)
        return entry
    }
}
