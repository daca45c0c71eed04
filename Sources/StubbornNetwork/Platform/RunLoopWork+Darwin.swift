#if canImport(Darwin)
    import Foundation

    extension RunLoop {
        /// Returns a function that runs work on the current run loop, from any thread.
        static func work(inModes modes: [Mode]) -> ClientThread {
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
