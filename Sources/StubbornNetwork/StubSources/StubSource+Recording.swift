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

    /// Notes an error that prevented a recording.
    ///
    /// The end of the run throws it.
    func noteFailure(_ error: StubbornNetworkError) {
        writer?.noteFailure(error)
    }

    /// The error that the end of the run throws because something was not recorded; `nil` if there is none so far.
    var recordingError: StubbornNetworkError? { writer?.error }

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

    /// Stores the beginning of a response that goes on, so that a killed process keeps it.
    ///
    /// An error is thrown when the response has ended, if it cannot be stored then either.
    func storeBeginning(_ recording: Recording) { try? writer?.add(recording) }

    /// Removes secrets that were recognised only after recordings with them were stored.
    func removeLateSecrets() {
        writer?.removeLateSecrets()
    }

    /// Notes that a request is sent whose exchange is to be stored.
    func begin(_ recording: Recording) { writer?.begin(recording.requestNumber) }

    /// Notes that an exchange has ended, after it was stored or left out.
    func end(_ recording: Recording) { writer?.end(recording.requestNumber) }

    /// Makes the end of the run keep the stubs that no request asked for, because the run did not need all of the file.
    func keepUnrequested(_ keeps: Bool = true) {
        writer?.keepUnrequested(keeps)
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
