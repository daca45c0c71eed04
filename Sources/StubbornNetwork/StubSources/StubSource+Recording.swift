import Foundation

extension StubSource {
    /// Returns the reason why recordings cannot be stored, before a request is sent to the real server; `nil` if they
    /// can.
    func reasonNotToRecord(_ url: URL) -> StubbornNetworkError? {
        // A run that is writing already finds out by writing.
        guard let writer else { return nil }
        if run.isOver { return .processExits(url) }
        guard !writer.isRecording else { return nil }
        do throws(StubbornNetworkError) {
            try writer.store.prepareToWrite()
            return nil
        } catch {
            writer.noteFailure(error)
            return error
        }
    }

    /// Stores a stub, and passes on the error if it could not be stored, on any thread.
    func store(_ recording: Recording, completion: @escaping @Sendable (StubbornNetworkError?) -> Void) {
        // A file that the test shares has it.
        if recording.isShared { return completion(nil) }
        do throws(StubbornNetworkError) {
            try writer?.add(recording)
            if let stub = recording.stub {
                recorded.withLock { $0.insert(stub, requestNumber: recording.requestNumber) }
            }
            completion(nil)
        } catch {
            completion(error)
        }
    }

    /// Ends a recording: everything that was recorded is in the file.
    func finishRecording() throws(StubbornNetworkError) {
        try writer?.finish()
        recorded.withLock { $0.beginRun() }
    }

    /// Returns the number and the time of a recorded request that starts, in the order in which requests start.
    func startRequest() -> (number: Int, time: Int) {
        recorded.withLock { ($0.nextRequestNumber(), run.startTime()) }
    }
}
