import Foundation

/// Everything that one test process records, with the processes that it starts.
///
/// The first process of a run, its founder, holds a lock on the run file. `STUB_RUN` passes the path of that file to the
/// processes that the founder starts, its launches. A run is alive while its founder lives, or while one of its processes
/// holds the lock on a journal.
///
/// Processes of one run add to each other's recordings. They never replace them, and never answer from them while they
/// record.
package final class Run: Sendable {
    /// The path of the run file, or any other value of `STUB_RUN`.
    let name: String

    /// A Boolean value that indicates whether this process began the run.
    let isFounder: Bool

    /// A Boolean value that indicates whether no other network and no other process can be part of the run.
    let isOfOneNetwork: Bool

    private struct State {
        /// The run file, which is locked as long as it is open; `nil` before the run records, and in a launch.
        var file: FileDescriptor?
        /// The stub files that this process recorded into, or passed to its launches.
        var stubFiles: Set<URL> = []
        /// The stub files that this process has not requested completely, as far as is known.
        var incomplete: Set<URL> = []
        /// The stub files as this process has written them last.
        var written: [URL: WrittenFile] = [:]
        /// A Boolean value that indicates whether the process exits.
        var isOver = false
        /// The time at which the last request started, in milliseconds since 1970.
        var lastStart = 0
    }

    private let state = Lock(State())

    init(name: String, isFounder: Bool, isOfOneNetwork: Bool = false) {
        (self.name, self.isFounder, self.isOfOneNetwork) = (name, isFounder, isOfOneNetwork)
    }

    /// The run that this process begins.
    static let process = Run(
        name: NSTemporaryDirectory()
            + "stubborn-run-\(SystemProcess.current)-\(String(UInt32.random(in: 0...UInt32.max), radix: 16))",
        isFounder: true
    )

    private static let joined = Lock<[String: Run]>([:])

    /// Returns the run of an environment, or else the run that this process begins.
    ///
    /// In a preview, which creates a network each time it is rendered, each network is a run.
    static func named(by environment: EnvironmentSettings) -> Run {
        if let name = environment.value(.run), name != process.name {
            return joined.withLock { $0[name].orSet { Run(name: name, isFounder: false) } }
        }
        guard environment.isPreview else { return process }
        return Run(name: "preview-\(UUID().uuidString)", isFounder: true, isOfOneNetwork: true)
    }

    /// Returns the value of `STUB_RUN` for a process that this one starts.
    ///
    /// When this process exits, it completes the stub file of that process.
    package static func nameForLaunch(recordingInto stubFile: URL, inheriting variables: [String: String]) -> String {
        let run = named(by: EnvironmentSettings(variables))
        run.note(stubFile)
        // A launch may write into the run file. If this fails, a launch that outlives a killed founder continues at the first stub.
        try? run.state.withLock { $0.file }?.writeAll(Data("launch\n".utf8), at: 0)
        return run.name
    }

    /// Creates the run file and locks it, unless this was done before.
    ///
    /// Without a run file, the run is alive only while one of its journals is locked.
    func begin() {
        guard isFounder, hasFile else { return }
        _ = Self.sweepsOnce
        state.withLock { state in
            guard state.file == nil, let file = try? FileDescriptor.creating(name) else { return }
            if (try? file.tryLock()) == .taken { state.file = file }
        }
    }

    private static let sweepsOnce: Void = sweep(NSTemporaryDirectory())

    /// Removes the run files in a directory if their founders were killed: empty ones after a minute, others after a day.
    ///
    /// The launches of a killed founder may still note the stubs that they use. The file of a run without launches is
    /// empty. It is kept for a minute, because its founder creates it before it takes the lock.
    static func sweep(_ directory: String) {
        for name in (try? FileSystem.names(in: directory)) ?? [] where name.hasPrefix("stubborn-run-") {
            let path = "\(directory)/\(name)"
            guard let file = try? FileSystem.fingerprint(at: path) else { continue }
            let age = Date().timeIntervalSince1970 - Double(file.modification) / 1e9
            guard age > (file.size == 0 ? 60 : 86_400), !isFounderAlive(ofRun: path) else { continue }
            try? FileSystem.remove(path)
        }
    }

    /// A Boolean value that indicates whether the name is the path of a run file.
    var hasFile: Bool { name.hasPrefix("/") }

    /// Returns a Boolean value that indicates whether the founder of a run is alive.
    static func isFounderAlive(ofRun name: String) -> Bool {
        guard name.hasPrefix("/"), let file = try? FileDescriptor.appending(name) else { return false }
        return (try? file.tryLock()) == .heldByOther
    }

    /// Returns the time at which a request starts, in milliseconds since 1970, which is never before the last one.
    func startTime() -> Int {
        let now = Int(Date().timeIntervalSince1970 * 1_000)
        return state.withLock { state in
            state.lastStart = max(state.lastStart, now)
            return state.lastStart
        }
    }

    // MARK: The end of the process

    /// Notes a stub file whose recordings this process completes when it exits.
    func note(_ stubFile: URL) {
        begin()
        Self.endsAtExit
        state.withLock { _ = $0.stubFiles.insert(stubFile) }
    }

    /// Does not complete a stub file when this process exits.
    func forget(_ stubFile: URL) { state.withLock { _ = $0.stubFiles.remove(stubFile) } }

    /// Makes the end of the run keep the unused stubs of a file.
    func keepUnrequested(in stubFile: URL) { state.withLock { _ = $0.incomplete.insert(stubFile) } }

    /// Returns a Boolean value that indicates whether this process began the run, and as far as it knows, all requests for the
    /// stubs of a file were made.
    func hasAskedForAll(of stubFile: URL) -> Bool {
        isFounder && !state.withLock { $0.incomplete.contains(stubFile) }
    }

    // MARK: Written files

    /// Returns a stub file as this process has written it last; `nil` if it has not.
    func written(_ stubFile: URL) -> WrittenFile? { state.withLock { $0.written[stubFile] } }

    func noteWritten(_ stubFile: URL, _ written: WrittenFile) { state.withLock { $0.written[stubFile] = written } }

    /// Returns a Boolean value that indicates whether the end of a test that may write its stub file later writes it now.
    func isDue(_ stubFile: URL, adding byteCount: Int) -> Bool {
        state.withLock { state in
            guard !isOfOneNetwork else { return true }
            state.written[stubFile]?.unwrittenByteCount += byteCount
            return state.written[stubFile]?.isDue ?? true
        }
    }

    /// Returns a Boolean value that indicates whether only the journals contain something that this process has recorded.
    func hasUnwritten(in stubFile: URL) -> Bool { written(stubFile).map { $0.unwrittenByteCount > 0 } ?? false }

    /// A Boolean value that indicates whether the process exits, so that nothing is recorded any more.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Ends recording, because the process exits.
    func stop() { state.withLock { $0.isOver = true } }

    /// The process that does the work at its exit; children made by `fork()` do not.
    private static let processIdentifier = SystemProcess.current
    /// The work that the exit of the process does before it ends its runs, the latest first.
    private static let workAtExit = Lock<[@Sendable () -> Void]>([])

    /// Makes the exit of the process do some work before it ends its recordings.
    static func atExit(_ work: @escaping @Sendable () -> Void) {
        endsAtExit
        workAtExit.withLock { $0.append(work) }
    }

    /// Makes the exit of the process end its recordings.
    static let endsAtExit: Void = {
        _ = processIdentifier
        atexit {
            guard SystemProcess.current == processIdentifier else { return }
            // Exchanges that clients have cancelled are still being stored.
            if !PendingWork.waitForAll() { StandardError.write(.lateAtExit) }
            let runs = [process] + joined.withLock { Array($0.values) }
            for run in runs { run.stop() }
            for work in workAtExit.withLock({ $0.reversed() }) { work() }
            for run in runs { run.end() }
            for work in workAtEnd.withLock({ $0 }) { work() }
        }
    }()

    /// The work that the exit of the process does after its recordings have ended.
    private static let workAtEnd = Lock<[@Sendable () -> Void]>([])

    /// Makes the exit of the process do some work after its recordings have ended.
    package static func atEnd(_ work: @escaping @Sendable () -> Void) {
        endsAtExit
        workAtEnd.withLock { $0.append(work) }
    }

    /// Ends the run in this process: completes the stub files that no other process records into, and removes the run file.
    func end() {
        let (file, stubFiles) = state.withLock { state in
            defer { (state.file, state.stubFiles) = (nil, []) }
            return (state.file, state.stubFiles)
        }
        let others = stubFiles.sorted { $0.path < $1.path }.filter { !end($0) }
        guard let file else { return }
        try? FileSystem.remove(name)
        try? file.finish()
        // A run that ended at the same time may have left these files to this one.
        for stubFile in others { _ = end(stubFile) }
    }

    /// Completes a stub file, and returns a Boolean value that indicates whether no other process has to do that.
    private func end(_ stubFile: URL) -> Bool {
        var generation = StubFileGeneration(StubFileStore(file: stubFile))
        do throws(StubbornNetworkError) {
            defer { state.withLock { _ = $0.written.removeValue(forKey: stubFile) } }
            return try generation.end(as: self)
        } catch {
            StandardError.write(error.message)
            return true
        }
    }

    /// Completes a stub file that this run has recorded into, because the test that it belongs to runs again.
    ///
    /// The next recording then replaces it, as in a new run.
    func beginAgain(_ stubFile: URL) {
        guard isFounder, state.withLock({ $0.stubFiles.contains(stubFile) }) else { return }
        _ = end(stubFile)
        state.withLock { _ = $0.incomplete.remove(stubFile) }
    }

    // MARK: Used stubs

    /// Returns the identities of the stubs of a file that earlier launches of this run have used, once for each use.
    ///
    /// Their paths are the path of the network's own stub file, which belongs to one test, and the path of the file.
    func usedStubs(of paths: String) -> [UInt64] {
        guard !isFounder, let text = try? String(contentsOfFile: name, encoding: .utf8) else { return [] }
        let ending = " \(paths)"
        return text.split(separator: "\n").filter { $0.hasPrefix("used ") && $0.hasSuffix(ending) }
            .compactMap { UInt64($0.dropFirst(5).dropLast(ending.count), radix: 16) }
    }

    /// Notes that a launch has used a stub, so that the next launch continues after it.
    ///
    /// If the run file cannot be written, as on a device, each launch begins at the first stub.
    func noteUse(of identity: UInt64, in paths: String) {
        guard !isFounder, hasFile, let file = try? FileDescriptor.appending(name) else { return }
        try? file.writeAll(Data("used \(identity.hexadecimal) \(paths)\n".utf8))
    }
}

/// A stub file as a process of a run has last written it, and the recordings of the process since then.
struct WrittenFile: Sendable {
    /// A file from which the end of the run at most removes stubs.
    struct Final {
        let generation: String
        /// The lengths of the journals, by their numbers.
        let byteCounts: [String: Int]
        /// The digests of the base and of the stub file.
        let digests: (base: String, file: String)
        /// The checksum of the stub file: a fingerprint does not reveal an edit of the same length and time as the last write.
        let checksum: UInt64
        /// The indices of the stubs that the end of the run removes.
        let unrequested: [Int]

        /// Returns a Boolean value that indicates whether nothing has changed the stub file and the journals since this process
        /// wrote them.
        func isUnchanged(_ store: StubFileStore, _ sidecars: StubFileStore.Sidecars) -> Bool {
            guard sidecars.generation == generation, sidecars.refusal == nil,
                sidecars.journals.count == byteCounts.count, store.checksum == checksum
            else { return false }
            return sidecars.journals.allSatisfy { journal in
                let found = try? FileSystem.fingerprint(at: journal.path)
                return found.map { Int(clamping: $0.size) } == byteCounts[String(journal.number)]
            }
        }
    }

    let byteCount: Int
    /// The file, if no other process may change it.
    let final: Final?
    /// The number of bytes that were recorded since, and that only the journals contain.
    var unwrittenByteCount = 0

    /// A Boolean value that indicates whether it is worthwhile to write the file again: a third of it is new.
    ///
    /// For example, of a hundred tests that share a file, the end of the second one writes it and the end of the hundredth
    /// does not. So the number of written bytes is at most a few times the size of the file.
    var isDue: Bool { unwrittenByteCount * 3 >= byteCount }
}
