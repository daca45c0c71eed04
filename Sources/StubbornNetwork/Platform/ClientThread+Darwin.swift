#if !canImport(FoundationNetworking)
    import Foundation

    extension URLProtocol {
        /// Returns the thread for this protocol's client: the current run loop.
        ///
        /// Called only inside `startLoading`. A thread that does not run its run loop would never perform anything: a queue
        /// takes its place.
        func clientThread() -> any ClientThread {
            guard let mode = RunLoop.current.currentMode else {
                return QueueThread(queue: DispatchQueue(label: "StubbornNetwork.ClientThread"))
            }
            return RunLoopThread(runLoop: UncheckedTransfer(CFRunLoopGetCurrent()), modes: [mode, .default])
        }
    }

    private struct RunLoopThread: ClientThread {
        // Adding a block to a run loop and waking it are documented as thread-safe.
        let runLoop: UncheckedTransfer<CFRunLoop?>
        let modes: Set<RunLoop.Mode>

        func perform(_ work: @escaping @Sendable () -> Void) {
            guard let runLoop = runLoop.value else { return }
            CFRunLoopPerformBlock(runLoop, modes.map(\.rawValue) as CFTypeRef, work)
            CFRunLoopWakeUp(runLoop)
        }
    }
#endif
