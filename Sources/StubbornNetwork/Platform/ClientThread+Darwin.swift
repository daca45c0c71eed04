#if !canImport(FoundationNetworking) || SIMULATES_APPLE
    import Foundation

    extension URLProtocol {
        /// Returns the thread for this protocol's client, inside `startLoading`: the current run loop.
        ///
        /// A thread that does not run its run loop would never perform anything: a queue takes its place.
        func clientThread() -> ClientThread {
            if let mode = RunLoop.current.currentMode { return RunLoop.work(inModes: [mode, .default]) }
            let queue = DispatchQueue(label: "StubbornNetwork.ClientThread")
            return { work in queue.async(execute: work) }
        }
    }
#endif
