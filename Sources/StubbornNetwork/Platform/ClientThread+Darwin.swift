#if !canImport(FoundationNetworking)
    import Foundation

    extension URLProtocol {
        /// Returns the thread for this protocol's client: the current run loop.
        ///
        /// Called only inside `startLoading`.
        func clientThread() -> any ClientThread {
            RunLoopThread(
                runLoop: UncheckedTransfer(CFRunLoopGetCurrent()),
                mode: RunLoop.current.currentMode ?? .default
            )
        }
    }

    private struct RunLoopThread: ClientThread {
        // Adding a block to a run loop and waking it are documented as thread-safe.
        let runLoop: UncheckedTransfer<CFRunLoop?>
        let mode: RunLoop.Mode

        func perform(_ work: @escaping @Sendable () -> Void) {
            guard let runLoop = runLoop.value else { return }
            CFRunLoopPerformBlock(runLoop, mode.rawValue as CFString, work)
            CFRunLoopWakeUp(runLoop)
        }
    }
#endif
