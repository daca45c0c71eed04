import Foundation

/// A store of recorded stubs.
///
/// Conform to it to store stubs elsewhere than in memory or in a stub file. The contract suite tests these rules for
/// every source:
/// - All functions may be called from any thread.
/// - A stub that was stored is found from then on.
/// - The stubs are in the order in which their requests started.
/// - A look-up uses a stub, so that the next equal request gets the next one.
protocol StubSource: AnyObject, Sendable {
    /// The file of the stubs; `nil` for a source in memory.
    var file: URL? { get }

    /// The stubs that are loaded or recorded.
    var recorded: Lock<RecordedStubs> { get }

    /// A Boolean value that indicates whether `load()` takes little time: the file has been read, or it is small.
    var loadsQuickly: Bool { get }

    /// Reads the stubs once.
    ///
    /// Later calls return or throw the same at once. This function may block.
    func load() throws(StubbornNetworkError)

    /// A Boolean value that indicates whether there were stubs to load.
    ///
    /// The value is always `false` for a source in memory.
    var existed: Bool { get }

    /// Returns the reason why the source cannot store recordings; `nil` if it can.
    ///
    /// This function is called before a request is sent to the real server.
    func reasonNotToRecord() -> StubbornNetworkError?

    /// Makes the end of the run throw an error because of which something was not recorded.
    func noteFailure(_ error: StubbornNetworkError)

    /// The error that the end of the run throws because something was not recorded; `nil` if there is none so far.
    var recordingError: StubbornNetworkError? { get }

    /// The request numbers of the errors that this process has recorded and that are not kept.
    ///
    /// An error is not kept if no server has answered in the run, or if there is an earlier response to the request.
    var discarded: Set<Int> { get }

    /// Stores a stub.
    ///
    /// `completion` is called on any thread, with the error if the stub could not be stored.
    func store(_ recording: Recording, completion: @escaping @Sendable (StubbornNetworkError?) -> Void)

    /// Removes secrets that were recognised only after recordings with them were stored.
    func removeLateSecrets()

    /// Makes the end of the run keep the stubs that no request asked for.
    ///
    /// It is called when the run is only a part of what the file is for.
    func keepUnrequested()

    /// Ends a recording run, after which everything that was recorded is in the file.
    ///
    /// The stubs that no request asked for are removed, if the run recorded everything anew and ended without errors.
    func finishRecording() throws(StubbornNetworkError)
}

extension StubSource {
    /// Returns the next stub that answers a request, and marks it as used; `nil` if there is none.
    func take(for request: StubRequest, by rules: PlaybackRules) -> Stub? { recorded.take(for: request, by: rules) }

    /// Returns what is known about a request that no stub answers.
    func diagnose(_ request: StubRequest, by rules: PlaybackRules) -> LookupDiagnosis {
        recorded.diagnose(request, by: rules)
    }

    /// Returns the number of a request in the order in which requests start.
    ///
    /// This function is called when a request that is recorded starts.
    func nextRequestNumber() -> Int { recorded.withLock { $0.nextRequestNumber() } }

    /// Returns all stubs, in their order.
    func stubs() -> [Stub] { recorded.withLock { $0.all } }

    /// Returns the stubs that this process has recorded and that are kept, in the order in which their requests started.
    func recordedStubs() -> [Stub] {
        let discarded = discarded
        return recorded.withLock { $0.ofThisProcess { !discarded.contains($0) } }
    }

    /// Returns the errors that this process has recorded and that are not kept.
    func discardedStubs() -> [Stub] {
        let discarded = discarded
        return discarded.isEmpty ? [] : recorded.withLock { $0.ofThisProcess(where: discarded.contains) }
    }

    /// Returns the first stub whose response gives a placeholder to the client; `nil` if there is none.
    func stub(giving placeholder: String) -> StubSummary? {
        let (stubs, summaries) = recorded.withLock { ($0.all, $0.summaries) }
        return zip(stubs, summaries).first { PlaceholderSearch.contains(placeholder, in: $0.0.response) }?.1
    }

    /// Returns the stubs that no request asked for, in their order, without those that this run has recorded.
    func unusedStubs() -> [Stub] { recorded.withLock { $0.unused } }

    /// Returns the same stubs as reports list them.
    func unusedSummaries() -> [StubSummary] { recorded.withLock { $0.unusedSummaries } }
}
