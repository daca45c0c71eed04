#if !canImport(FoundationNetworking) || SIMULATES_APPLE
    import Foundation

    extension URLProtocol {
        /// Returns the thread for this protocol's client, inside `startLoading`: the current run loop.
        ///
        /// A thread that does not run its run loop would never perform anything: a queue takes its place.
        func clientThread() -> ClientThread {
            if let mode = RunLoop.current.currentMode { return Self.work(inModes: [mode, .default]) }
            let queue = DispatchQueue(label: "StubbornNetwork.ClientThread")
            return { work in queue.async(execute: work) }
        }

        /// Returns a function that runs work on the current run loop, from any thread.
        private static func work(inModes modes: [RunLoop.Mode]) -> ClientThread {
            // Adding a block to a run loop and waking it are documented as thread-safe.
            let runLoop = UncheckedTransfer(CFRunLoopGetCurrent())
            let modes = modes.map(\.rawValue)
            return { work in
                guard let runLoop = runLoop.value else { return }
                CFRunLoopPerformBlock(runLoop, modes as CFTypeRef, work)
                CFRunLoopWakeUp(runLoop)
            }
        }
    }
#endif
