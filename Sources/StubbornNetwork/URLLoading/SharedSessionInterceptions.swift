import Foundation

/// A network's interception of `URLSession.shared`.
///
/// It is created by `interceptSharedSession()`.
public final class SharedSessionInterception: Sendable {
    /// The interception of the running task.
    @TaskLocal static var ofTask: SharedSessionInterception?

    let number: Int
    let name: String

    /// Begins an interception.
    init(_ engine: Engine, name: String) {
        self.name = name
        number = SharedSessionInterceptions.shared.begin(engine, name: name)
    }

    /// Ends the interception.
    ///
    /// Requests that have been started are still answered. Later calls do nothing.
    public func end() { SharedSessionInterceptions.shared.end(number) }
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

    /// Returns the destination of a request.
    ///
    /// - Parameters:
    ///   - task: the number of the interception of the task that starts the request.
    ///   - networks: the networks of the interceptions in force, by the interceptions' numbers.
    init(task: Int?, inForce networks: [Int: ObjectIdentifier]) {
        if networks.isEmpty {
            self = .realNetwork
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
/// Classes are put into the session many at a time, before the requests that need them, and stay there. Foundation reads the
/// session's list while tasks start, so it is changed as rarely as possible. A class without an interception accepts no
/// request.
final class SharedSessionInterceptions: Sendable {
    static let shared = SharedSessionInterceptions()

    /// The number of classes that are made at a time.
    static let batchSize = 64

    private struct Entry {
        let number: Int
        let name: String
        /// The engine; `nil` when the interception has ended without claims.
        var engine: Engine?
        let protocolClass: SharedSessionURLProtocol.Type
        /// The claims of requests that have not started to load, counted for each URL.
        var claims: [URL?: Int] = [:]
        /// A Boolean value that indicates whether a request was claimed.
        var hasClaimed = false
        var isEnded = false

        /// A Boolean value that indicates whether a request may still be coming when the interception has ended.
        ///
        /// If a class is asked several times for a request, equal requests cannot be distinguished.
        var mayBeCalled: Bool { SharedSessionHook.asksOnceInTask ? !claims.isEmpty : hasClaimed }

        mutating func releaseClaim(of url: URL?) {
            let count = SharedSessionHook.asksOnceInTask ? claims[url, default: 0] - 1 : 0
            claims[url] = count > 0 ? count : nil
        }
    }

    private struct State {
        var lastNumber = 0
        /// The interceptions that are in force, or have ended and may still get a request, by their classes.
        var entries: [ObjectIdentifier: Entry] = [:]
        var free: [SharedSessionURLProtocol.Type] = []
        var refusals: [URL?: StubbornNetworkError] = [:]

        /// Returns the destination of a request that is started by the task of an interception.
        func route(task: Int?) -> SharedSessionRoute {
            let inForce = entries.values.filter { !$0.isEnded }.compactMap { entry in
                entry.engine.map { (entry.number, ObjectIdentifier($0)) }
            }
            return SharedSessionRoute(task: task, inForce: Dictionary(inForce) { $1 })
        }

        /// The names of the interceptions in force, for a text.
        var names: [String] {
            entries.values.filter { !$0.isEnded }.sorted { $0.number < $1.number }.map(\.name)
        }
    }

    // Foundation holds its lock on registered classes while it calls `canInit`, which takes this lock. So do not call
    // Foundation's URL loading while holding this lock.
    private let state = Lock(State())
    // This lock is never taken in `canInit`.
    let classes = Lock<[SharedSessionURLProtocol.Type]>([])

    // MARK: Beginning and ending

    /// Begins an interception and returns its number.
    func begin(_ engine: Engine, name: String) -> Int {
        classes.withLock { classes in
            install(&classes)
            // There is a free class, because `classes` is locked, and only this function uses them.
            let protocolClass = state.withLock { $0.free.removeFirst() }
            SharedSessionHook.moveToFront(protocolClass)
            ProtocolClasses.shared[protocolClass] = engine
            return state.withLock { state in
                let number = state.lastNumber.increment()
                let entry = Entry(number: number, name: name, engine: engine, protocolClass: protocolClass)
                state.entries[ObjectIdentifier(protocolClass)] = entry
                return number
            }
        }
    }

    /// Ends an interception.
    ///
    /// Its claims are dropped after a time: Foundation may call `canInit` several times for a request, or never load it.
    func end(_ number: Int, claimTimeout: DispatchTimeInterval = .seconds(30)) {
        let mayBeCalled = change({ $0.number == number }) { $0.isEnded = true }?.mayBeCalled
        guard mayBeCalled == true else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + claimTimeout) {
            self.change({ $0.number == number }) { ($0.claims, $0.hasClaimed) = ([:], false) }
        }
    }

    /// Changes an interception, and returns its new state; `nil` if there is none.
    ///
    /// An interception that has ended without claims loses its engine, which is freed with the result, outside the lock. If no
    /// request may still be coming, it is removed, and its class is free.
    @discardableResult
    private func change(_ isWanted: (Entry) -> Bool, _ change: (inout Entry) -> Void) -> Entry? {
        state.withLock { state in
            guard case (let key, var entry)? = state.entries.first(where: { isWanted($0.value) }) else { return nil }
            change(&entry)
            state.entries[key] = entry
            guard entry.isEnded, entry.claims.isEmpty else { return entry }
            state.entries[key]?.engine = nil
            if !entry.mayBeCalled {
                state.entries[key] = nil
                state.free.append(entry.protocolClass)
            }
            return entry
        }
    }

    /// Makes sure that the session asks the protocol classes about each of its requests, even if no interception is in
    /// force.
    func install() { classes.withLock { install(&$0) } }

    /// Makes sure that there is a free class, and that the session has all classes, even after its list was replaced.
    private func install(_ classes: inout [SharedSessionURLProtocol.Type]) {
        let count = state.withLock { $0.free.isEmpty ? Self.batchSize : 0 }
        let lot = (classes.count..<classes.count + count).map { routeMarker(number: $0).classOfInterception }
        guard !lot.isEmpty || !SharedSessionHook.contains(UnclaimedRequestURLProtocol.self) else { return }
        URLSession.shared.configuration.warnAboutLoadingMode(of: "URLSession.shared")
        classes += lot
        SharedSessionHook.putFirst(classes + [UnclaimedRequestURLProtocol.self])
        if !SharedSessionHook.contains(UnclaimedRequestURLProtocol.self) {
            let part = "URLSession.shared.configuration.protocolClasses"
            StandardError.write(StubbornNetworkError.unsupportedVersion(of: "Foundation", without: part).message)
        }
        state.withLock { $0.free += lot }
    }

    // MARK: Requests

    /// Claims a request for the interception of a class, if it belongs to that interception, and returns a Boolean
    /// value that indicates whether it does.
    ///
    /// This is called for every class at every request, so `isStubbable`, which returns whether such requests can be answered, is
    /// called last. `task` is the number of the interception whose task starts the request.
    func claim(
        _ request: URLRequest,
        for protocolClass: SharedSessionURLProtocol.Type,
        task: Int?,
        if isStubbable: () -> Bool
    ) -> Bool {
        state.withLock { state in
            let key = ObjectIdentifier(protocolClass)
            guard let entry = state.entries[key], !entry.isEnded else { return false }
            // Most classes belong to other tasks, and finding the route is slow when many interceptions are in force.
            if let task, task != entry.number { return false }
            guard state.route(task: task) == .interception(entry.number), isStubbable() else { return false }
            state.entries[key]?.claims[request.url, default: 0] += 1
            state.entries[key]?.hasClaimed = true
            return true
        }
    }

    /// Releases the claim of a request and returns the engine that answers it, even if the interception has ended; `nil`
    /// when the claims of an ended interception have been dropped.
    func releaseClaim(of request: URLRequest, for protocolClass: SharedSessionURLProtocol.Type) -> Engine? {
        change({ $0.protocolClass == protocolClass }) { $0.releaseClaim(of: request.url) }?.engine
    }

    /// Returns a Boolean value that indicates whether a request that no interception has claimed must fail.
    ///
    /// This is called when the request is started, so that the task, and therefore the test, is known.
    func refuse(_ request: URLRequest, task: SharedSessionInterception?) -> Bool {
        let url = request.url
        let (route, names) = state.withLock { ($0.route(task: task?.number), $0.names) }
        let error: StubbornNetworkError
        switch route {
        case .realNetwork:
            guard let listener = Engine.unstubbedRequestListener.withLock({ $0 }) else { return false }
            listener(UnstubbedRequestReport.textWithoutInterception(of: request))
            error = .withoutInterception(request)
        case .ended: error = .interceptionEnded(url.map(Redactor.shown), name: task?.name ?? "")
        // The interception that should have claimed it began or ended after its class was called.
        case .interception, .ambiguous: error = .ambiguousInterception(url, inForce: names)
        }
        state.withLock { state in
            if state.refusals.count >= 100 { state.refusals = [:] }
            state.refusals[url] = error
        }
        return true
    }

    /// Returns the error of a request that was refused.
    func reasonForRefusal(of request: URLRequest) -> StubbornNetworkError {
        let (known, names) = state.withLock { ($0.refusals[request.url], $0.names) }
        return known
            ?? (names.isEmpty ? .withoutInterception(request) : .ambiguousInterception(request.url, inForce: names))
    }
}
