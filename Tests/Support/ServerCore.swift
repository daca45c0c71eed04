import Foundation

/// What the threads of a server share; they hold this and not the server, which can therefore end while they run.
final class ServerCore: Sendable {
    struct State: Sendable {
        var isStopped = false
        var threadCount = 0
        var connectionCount = 0
        var open: Set<Socket> = []
        var requests: [LoopbackServer.Request] = []
        var signals: [String: Int] = [:]
        /// What keeps the port of a stopped server from being given to the next one.
        var portHolder: Socket?
    }

    let state = Monitor(State())
    let counters = Monitor<[String: Int]>([:])
    let handler: @Sendable (LoopbackServer.Request) -> LoopbackServer.Response
    let slowSeconds: TimeInterval

    // Closing the sender, once, makes the receiver readable, which wakes the accepting thread on every system.
    private let wakeSender: Socket
    private let wakeReceiver: Socket
    private static let threadKey = "LoopbackServer.core"

    init(
        slowSeconds: TimeInterval,
        handler: @escaping @Sendable (LoopbackServer.Request) -> LoopbackServer.Response
    ) throws {
        self.slowSeconds = slowSeconds
        self.handler = handler
        (wakeSender, wakeReceiver) = try Socket.pair()
    }

    /// Accepts connections on a thread of its own until `stop()`, and then closes `listener`.
    func acceptConnections(from listener: Socket) {
        startThread { core in
            while !listener.waitForConnection(or: core.wakeReceiver) {
                if let socket = listener.accept() {
                    core.serve(socket)
                } else {
                    // Out of descriptors: others must close some first, and the connection stays in the queue.
                    Thread.sleep(forTimeInterval: 0.005)
                }
            }
            listener.close()
            core.wakeReceiver.close()
        }
    }

    /// Ends all threads; waits for that unless called from one of them.
    func stop() {
        let isFirst = state.change { state in
            guard !state.isStopped else { return false }
            state.isStopped = true
            state.open.forEach { $0.shutDown() }
            return true
        }
        if isFirst { wakeSender.close() }
        guard Thread.current.threadDictionary[Self.threadKey] as? ObjectIdentifier != ObjectIdentifier(self) else {
            return
        }
        _ = state.wait { $0.threadCount == 0 ? true : nil }
    }

    /// Waits for so long; false if the server was stopped in the meantime.
    func pause(milliseconds: Int) -> Bool {
        let deadline = Date(timeIntervalSinceNow: Double(max(0, milliseconds)) / 1000)
        return state.wait(until: deadline) { $0.isStopped ? true : nil } == nil
    }

    /// Waits for a signal and uses it up; false if the server was stopped in the meantime.
    func waitForSignal(_ name: String) -> Bool {
        let passed = state.wait { state -> Bool? in
            if state.isStopped { return false }
            guard let count = state.signals[name], count > 0 else { return nil }
            state.signals[name] = count - 1
            return true
        }
        return passed ?? false
    }

    private func serve(_ socket: Socket) {
        let isWelcome = state.withLock { state in
            guard !state.isStopped else { return false }
            state.connectionCount += 1
            state.open.insert(socket)
            return true
        }
        guard isWelcome else { return socket.close() }
        startThread { core in
            Connection(socket: socket, core: core).serve()
            // Together, so that stop() never shuts down a descriptor that in the meantime is somebody else's.
            core.state.withLock { state in
                state.open.remove(socket)
                socket.close()
            }
        }
    }

    private func startThread(_ body: @escaping @Sendable (ServerCore) -> Void) {
        state.withLock { $0.threadCount += 1 }
        let thread = Thread {
            Thread.current.threadDictionary[Self.threadKey] = ObjectIdentifier(self)
            body(self)
            self.state.change { $0.threadCount -= 1 }
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }
}
