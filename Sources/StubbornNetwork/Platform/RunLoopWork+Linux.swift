#if !canImport(Darwin) && SIMULATES_APPLE
    import Foundation

    extension RunLoop {
        /// Returns a function that runs work on the current run loop, from any thread.
        static func work(inModes modes: [Mode]) -> ClientThread {
            let runLoop = UncheckedTransfer(RunLoop.current)
            return { work in
                runLoop.value.perform(inModes: modes, block: work)
                // Wakes the run loop, which the thread of the simulated loader runs again.
                runLoop.value._stop()
            }
        }
    }
#endif
