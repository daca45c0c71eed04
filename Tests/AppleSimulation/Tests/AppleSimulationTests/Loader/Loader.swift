import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// A loader that treats protocol classes as CFNetwork does, and judges what they do.
///
/// Nobody has compared it with CFNetwork. Where a comment names a source, that is what is known; if a Mac shows something
/// else, change the simulation first, and then the library.
final class Loader: Sendable {
    /// The place where protocols are started and stopped.
    enum Place: Sendable {
        /// The thread of the loader, which runs its run loop.
        ///
        /// CFNetwork has one thread for all custom protocols, `com.apple.CFNetwork.CustomProtocols` in crash logs. Apple's
        /// sample CustomHTTPProtocol: the thread that calls `startLoading` "becomes the client thread", and `stopLoading`
        /// is "expected to be called on the client thread".
        case runLoop
        /// The thread of the loader, which runs its run loop in another mode until the load is over.
        ///
        /// CustomHTTPProtocol tells of a thread that starts a protocol and "then runs a non-standard run loop mode waiting
        /// for the request to finish".
        case otherMode
        /// The thread of the loader, which has run its run loop in another mode only while the protocol was started.
        case leftMode
        /// A queue. Not known of CFNetwork: for loaders that others wrote.
        case queue
    }

    private let thread = LoaderThread()
    private let queue = DispatchQueue(label: "loader")
    private let loads = Lock<[Load]>([])

    /// Runs work where protocols are started and stopped.
    func perform(at place: Place, _ work: @escaping @Sendable () -> Void) {
        switch place {
        case .runLoop, .otherMode, .leftMode: thread.perform(work)
        case .queue: queue.async(execute: work)
        }
    }

    /// Runs the work that starts a protocol.
    ///
    /// - Parameters:
    ///   - place: The place where the work is run.
    ///   - work: The work.
    ///   - isOver: Returns whether the load is over, after which its mode is left.
    ///   - stall: Called if the load is not over after ten seconds in the mode in which it was started.
    func begin(
        at place: Place,
        _ work: @escaping @Sendable () -> Void,
        isOver: @escaping @Sendable () -> Bool,
        onStall stall: @escaping @Sendable () -> Void
    ) {
        guard place == .otherMode || place == .leftMode else { return perform(at: place, work) }
        perform(at: place) {
            let mode = RunLoop.Mode("AppleSimulation.Waiting")
            RunLoop.current.add(Timer(timeInterval: 3600, repeats: true) { _ in }, forMode: mode)
            RunLoop.current.perform(inModes: [mode], block: work)
            if place == .leftMode {
                _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.001))
                return
            }
            let limit = Date(timeIntervalSinceNow: 10)
            while !isOver(), limit.timeIntervalSinceNow > 0 {
                _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.1))
            }
            if !isOver() { stall() }
        }
    }

    /// A Boolean value that indicates whether this is the loader's thread.
    var isThisThread: Bool { thread.isThisThread }

    /// Starts to load a request.
    func start(
        _ request: URLRequest,
        through session: SimulatedSession,
        by kind: TaskKind = .data,
        at place: Place = .runLoop,
        answering answer: DelegateAnswer = .defaultHandling,
        followingRedirects: Bool = true
    ) -> Load {
        let load = Load(
            request,
            through: session,
            by: kind,
            at: place,
            of: self,
            answering: answer,
            followingRedirects: followingRedirects
        )
        loads.withLock { $0.append(load) }
        load.start()
        return load
    }

    /// Loads a request, and returns the load after its end.
    func load(
        _ request: URLRequest,
        through session: SimulatedSession,
        by kind: TaskKind = .data,
        at place: Place = .runLoop,
        answering answer: DelegateAnswer = .defaultHandling,
        followingRedirects: Bool = true
    ) async -> Load {
        let load = start(
            request,
            through: session,
            by: kind,
            at: place,
            answering: answer,
            followingRedirects: followingRedirects
        )
        await load.end()
        return load
    }

    /// Runs a story, and judges its loads afterwards: each has ended, broke no rule of a client, and its protocol is freed.
    static func story(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ story: (Loader) async throws -> Void
    ) async throws {
        let loader = Loader()
        defer { loader.thread.end() }
        try await story(loader)
        let loads = loader.loads.withLock { $0 }
        for load in loads { await load.end() }
        let areFreed = try await comesToHold { loads.allSatisfy(\.isFreed) }
        let count = loads.count { !$0.isFreed }
        #expect(areFreed, "\(count) of \(loads.count) protocols are not freed", sourceLocation: sourceLocation)
        let problems = Dictionary(grouping: loads.flatMap(\.problems)) { $0 }.mapValues(\.count)
        #expect(problems == [:], "of \(loads.count) loads", sourceLocation: sourceLocation)
    }
}

/// A thread with a run loop.
private final class LoaderThread: Sendable {
    private struct State {
        var runLoop: UncheckedTransfer<RunLoop>?
        var thread: ObjectIdentifier?
        var isEnded = false
    }

    private let state = Lock(State())

    init() {
        let isReady = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [state] in
            // Without a source or a timer, a run loop returns at once.
            RunLoop.current.add(Timer(timeInterval: 3600, repeats: true) { _ in }, forMode: .default)
            state.withLock {
                $0.runLoop = UncheckedTransfer(RunLoop.current)
                $0.thread = ObjectIdentifier(Thread.current)
            }
            isReady.signal()
            while !state.withLock({ $0.isEnded }) {
                _ = RunLoop.current.run(mode: .default, before: .distantFuture)
            }
        }
        isReady.wait()
    }

    var isThisThread: Bool { state.withLock { $0.thread } == ObjectIdentifier(Thread.current) }

    func perform(_ work: @escaping @Sendable () -> Void) {
        guard let runLoop = state.withLock({ $0.runLoop })?.value else { return }
        runLoop.perform(inModes: [.default], block: work)
        // Wakes it: the thread runs it again.
        runLoop._stop()
    }

    func end() {
        perform { [state] in state.withLock { $0.isEnded = true } }
    }
}
