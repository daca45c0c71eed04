import Foundation

/// The interceptions of `URLSession.shared` that are in force, and the protocol class of each.
///
/// Classes are put into the session in lots, before the requests that need them, and stay there for ever: Foundation reads
/// the session's list while tasks start, so it is changed as rarely as can be. A class that belongs to nobody refuses
/// every request, as if it were not there.
final class SharedSessionInterceptions: Sendable {
    static let shared = SharedSessionInterceptions()

    /// How many classes are made at a time.
    static let lotSize = 64

    fileprivate struct Entry {
        let number: Int
        let name: String
        let engine: NetworkEngine
        let protocolClass: SharedSessionURLProtocol.Type
        /// Requests that were claimed and have not started to load.
        var promised = 0
        /// In nanoseconds of uptime; `nil` while it is in force.
        var endTime: UInt64?
        /// Whether it takes what no other interception could take.
        let isFallback: Bool
    }

    fileprivate struct State {
        var lastNumber = 0
        var inForce = InterceptionsInForce()
        /// In force, or ended with requests that have not started to load.
        var entries: [ObjectIdentifier: Entry] = [:]
        var classes: [Int: ObjectIdentifier] = [:]
        var free: [SharedSessionURLProtocol.Type] = []
        var refusals: [URL?: StubbornNetworkError] = [:]
        /// Told of each request that the fallback takes.
        var onFallback: (@Sendable (URLRequest) -> Void)?
    }

    // Foundation holds its lock on registered classes while it calls `canInit`, which takes this one. So nothing of
    // Foundation's loading may be called while this one is held.
    private let state = Lock(State())
    // Never taken in `canInit`.
    private let classes = Lock<[SharedSessionURLProtocol.Type]>([])

    /// How many classes there are, in use and free.
    var classCount: Int { classes.withLock { $0.count } }

    /// Whether any interception is in force.
    var isAnyInForce: Bool { state.withLock { $0.inForce.latest ?? $0.inForce.fallback != nil } }

    // MARK: Beginning and ending

    /// - Parameter isFallback: whether it takes only what no other interception could take.
    func begin(_ engine: NetworkEngine, name: String, isFallback: Bool = false) -> Int {
        classes.withLock { classes in
            install(&classes)
            return state.withLock { state in
                state.lastNumber += 1
                let number = state.lastNumber
                // There is one: this lock is held, and nobody else takes them.
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

    func end(_ number: Int) {
        let now = DispatchTime.now().uptimeNanoseconds
        let gone = state.withLock { state -> Entry? in
            guard state.inForce.contains(number), let key = state.classes[number] else { return nil }
            state.inForce.remove(number)
            state.entries[key]?.endTime = now
            return state.freeIfDone(key)
        }
        // The engine may be freed here, outside the lock.
        _ = gone
    }

    /// Sees to it that there is a free class, and that the session asks all of them, also after somebody replaced its list.
    private func install(_ classes: inout [SharedSessionURLProtocol.Type]) {
        let now = DispatchTime.now().uptimeNanoseconds
        let (hasFree, gone) = state.withLock { state in
            let gone = state.free.isEmpty ? state.freeForgotten(now: now) : []
            return (!state.free.isEmpty, gone)
        }
        _ = gone
        let lot =
            hasFree ? [] : (classes.count..<classes.count + Self.lotSize).map { sharedSessionClass(number: $0) }
        guard !lot.isEmpty || !SharedSessionHook.contains(UnclaimedRequestURLProtocol.self) else { return }
        classes += lot
        SharedSessionHook.putFirst(classes + [UnclaimedRequestURLProtocol.self])
        state.withLock { $0.free += lot }
    }

    // MARK: Requests

    /// Whether a request that starts now, in a task of the interception `task`, is for the interception of a class.
    ///
    /// - Parameter isStubbable: whether requests like it are answered at all. Asked last, because this is called for every
    ///   class at every request.
    func claim(
        _ request: URLRequest,
        for protocolClass: SharedSessionURLProtocol.Type,
        task: Int?,
        if isStubbable: () -> Bool
    ) -> Bool {
        let (isClaimed, onFallback) = state.withLock { state -> (Bool, (@Sendable (URLRequest) -> Void)?) in
            let key = ObjectIdentifier(protocolClass)
            guard let entry = state.entries[key], entry.endTime == nil else { return (false, nil) }
            let route = SharedSessionRoute(task: task, inForce: state.inForce)
            guard route == .interception(entry.number), isStubbable() else { return (false, nil) }
            state.entries[key]?.promised += 1
            return (true, entry.isFallback ? state.onFallback : nil)
        }
        // Here, where a request is started: whoever is told knows the task, and so the test.
        onFallback?(request)
        return isClaimed
    }

    func setOnFallback(_ tell: (@Sendable (URLRequest) -> Void)?) {
        state.withLock { $0.onFallback = tell }
    }

    /// The network of a request that was claimed, also when the interception has ended meanwhile.
    func redeem(for protocolClass: SharedSessionURLProtocol.Type) -> NetworkEngine? {
        let (engine, gone) = state.withLock { state -> (NetworkEngine?, Entry?) in
            let key = ObjectIdentifier(protocolClass)
            guard let entry = state.entries[key] else { return (nil, nil) }
            state.entries[key]?.promised = max(0, entry.promised - 1)
            return (entry.engine, state.freeIfDone(key))
        }
        _ = gone
        return engine
    }

    /// Whether a request that no interception claimed has to fail.
    func refuse(_ url: URL?, task: SharedSessionInterception?) -> Bool {
        state.withLock { state in
            let error: StubbornNetworkError
            switch SharedSessionRoute(task: task?.number, inForce: state.inForce) {
            case .realNetwork: return false
            case .ended: error = .interceptionEnded(url, name: task?.name ?? "")
            // One that would have claimed it began or ended after its class was asked.
            case .interception, .ambiguous: error = .ambiguousInterception(url, inForce: state.names)
            }
            if state.refusals.count >= 100 { state.refusals = [:] }
            state.refusals[url] = error
            return true
        }
    }

    /// Why a request was refused.
    func reasonForRefusal(of url: URL?) -> StubbornNetworkError {
        state.withLock { $0.refusals[url] ?? .ambiguousInterception(url, inForce: $0.names) }
    }
}

extension SharedSessionInterceptions.State {
    /// How long a class waits, in nanoseconds, for requests that were claimed and never loaded: a minute.
    private static var patience: UInt64 { 60_000_000_000 }

    /// The interceptions in force, for a text.
    fileprivate var names: [String] {
        inForce.numbers.compactMap { classes[$0].flatMap { entries[$0]?.name } }
    }

    fileprivate mutating func freeIfDone(_ key: ObjectIdentifier) -> SharedSessionInterceptions.Entry? {
        guard let entry = entries[key], entry.endTime != nil, entry.promised == 0 else { return nil }
        return free(entry, key)
    }

    /// Frees the classes that wait for requests which never came: Foundation may ask `canInit` and make nothing of it.
    fileprivate mutating func freeForgotten(now: UInt64) -> [SharedSessionInterceptions.Entry] {
        entries.compactMap { key, entry in
            guard let endTime = entry.endTime, now > endTime, now - endTime > Self.patience else { return nil }
            return free(entry, key)
        }
    }

    private mutating func free(
        _ entry: SharedSessionInterceptions.Entry,
        _ key: ObjectIdentifier
    ) -> SharedSessionInterceptions.Entry {
        entries[key] = nil
        classes[entry.number] = nil
        free.append(entry.protocolClass)
        return entry
    }
}
