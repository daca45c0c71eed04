import Foundation

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
        /// The number of requests that were claimed and have not started to load.
        var claims = 0
        var isEnded = false
        /// A Boolean value that indicates whether it takes only the requests that no other interception takes.
        let isFallback: Bool
    }

    fileprivate struct State {
        var lastNumber = 0
        var inForce = InterceptionsInForce()
        /// The interceptions that are in force, or have ended with claims.
        var entries: [ObjectIdentifier: Entry] = [:]
        var classes: [Int: ObjectIdentifier] = [:]
        var free: [SharedSessionURLProtocol.Type] = []
        var refusals: [URL?: StubbornNetworkError] = [:]
        /// The function to call for each request that the fallback takes.
        var onFallback: (@Sendable (URLRequest) -> Void)?
    }

    // Foundation holds its lock on registered classes while it calls `canInit`, which takes this one. So do not call
    // Foundation's URL loading while this one is held.
    private let state = Lock(State())
    // Never taken in `canInit`.
    private let classes = Lock<[SharedSessionURLProtocol.Type]>([])

    /// The number of classes, used and free.
    var classCount: Int { classes.withLock { $0.count } }

    /// A Boolean value that indicates whether any interception is in force.
    var isAnyInForce: Bool { state.withLock { $0.inForce.latest ?? $0.inForce.fallback != nil } }

    // MARK: Beginning and ending

    /// Begins an interception.
    ///
    /// - Parameters:
    ///   - engine: the engine of the network that answers.
    ///   - name: the name of the interception, for diagnoses.
    ///   - isFallback: a Boolean value that indicates whether it takes only the requests that no other one takes.
    /// - Returns: the number of the interception.
    func begin(_ engine: Engine, name: String, isFallback: Bool = false) -> Int {
        classes.withLock { classes in
            install(&classes)
            return state.withLock { state in
                state.lastNumber += 1
                let number = state.lastNumber
                // There is a free class: `classes` is locked, and only this function takes them.
                let protocolClass = state.free.removeFirst()
                let entry = Entry(
                    number: number,
                    name: name,
                    engine: engine,
                    protocolClass: protocolClass,
                    isFallback: isFallback
                )
                state.entries[ObjectIdentifier(protocolClass)] = entry
                state.classes[number] = ObjectIdentifier(protocolClass)
                if isFallback {
                    state.inForce.insertFallback(number)
                } else {
                    state.inForce.insert(number, network: ObjectIdentifier(engine))
                }
                return number
            }
        }
    }

    /// Ends an interception.
    ///
    /// - Parameters:
    ///   - number: the number of the interception.
    ///   - claimTimeout: the time after which its claims are dropped. Foundation may call `canInit` several times for a
    ///     request, or not load it then.
    func end(_ number: Int, claimTimeout: DispatchTimeInterval = .seconds(30)) {
        let (gone, hasClaims) = state.withLock { state -> (Entry?, Bool) in
            guard state.inForce.contains(number), let key = state.classes[number] else { return (nil, false) }
            state.inForce.remove(number)
            state.entries[key]?.isEnded = true
            let gone = state.freeIfDone(key)
            return (gone, gone == nil)
        }
        // The engine may be freed here, outside the lock.
        _ = gone
        guard hasClaims else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + claimTimeout) { self.dropClaims(of: number) }
    }

    private func dropClaims(of number: Int) {
        let gone = state.withLock { state -> Entry? in
            guard let key = state.classes[number] else { return nil }
            state.entries[key]?.claims = 0
            return state.freeIfDone(key)
        }
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

    /// Claims a request for the interception of a class, if it is for that interception.
    ///
    /// - Parameters:
    ///   - request: the request that is started.
    ///   - protocolClass: the class of the interception.
    ///   - task: the number of the interception whose task starts the request.
    ///   - isStubbable: returns whether requests like it are answered. Called last, because this function is called for
    ///     every class at every request.
    /// - Returns: a Boolean value that indicates whether the request is claimed.
    func claim(
        _ request: URLRequest,
        for protocolClass: SharedSessionURLProtocol.Type,
        task: Int?,
        if isStubbable: () -> Bool
    ) -> Bool {
        let (isClaimed, onFallback) = state.withLock { state -> (Bool, (@Sendable (URLRequest) -> Void)?) in
            let key = ObjectIdentifier(protocolClass)
            guard let entry = state.entries[key], !entry.isEnded else { return (false, nil) }
            let route = SharedSessionRoute(task: task, inForce: state.inForce)
            guard route == .interception(entry.number), isStubbable() else { return (false, nil) }
            state.entries[key]?.claims += 1
            return (true, entry.isFallback ? state.onFallback : nil)
        }
        // Called where the request is started, so that the task, and with it the test, is known.
        onFallback?(request)
        return isClaimed
    }

    func setOnFallback(_ onFallback: (@Sendable (URLRequest) -> Void)?) {
        state.withLock { $0.onFallback = onFallback }
    }

    /// Releases the claim of a request and returns the engine that answers it, even if the interception has ended.
    func releaseClaim(for protocolClass: SharedSessionURLProtocol.Type) -> Engine? {
        let (engine, gone) = state.withLock { state -> (Engine?, Entry?) in
            let key = ObjectIdentifier(protocolClass)
            guard let entry = state.entries[key] else { return (nil, nil) }
            state.entries[key]?.claims = max(0, entry.claims - 1)
            return (entry.engine, state.freeIfDone(key))
        }
        _ = gone
        return engine
    }

    /// Returns a Boolean value that indicates whether a request that no interception has claimed must fail.
    func refuse(_ url: URL?, task: SharedSessionInterception?) -> Bool {
        state.withLock { state in
            let error: StubbornNetworkError
            switch SharedSessionRoute(task: task?.number, inForce: state.inForce) {
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
        inForce.numbers.compactMap { classes[$0].flatMap { entries[$0]?.name } }
    }

    /// Frees a class whose interception has ended without claims.
    fileprivate mutating func freeIfDone(_ key: ObjectIdentifier) -> SharedSessionInterceptions.Entry? {
        guard let entry = entries[key], entry.isEnded, entry.claims == 0 else { return nil }
        entries[key] = nil
        classes[entry.number] = nil
        free.append(entry.protocolClass)
        return entry
    }
}
