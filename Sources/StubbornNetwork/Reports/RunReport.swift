import Foundation

/// The requests of a process under test, as the process writes them to the file that `STUB_REPORT` names.
package struct RunReport: Sendable, Codable, Equatable {
    package struct Network: Sendable, Codable, Equatable {
        package var mode: RecordMode
        package var file: String?
        /// The path of the stub file in its repository or package, which is the same on another machine.
        package var pathInPackage: String?
        /// The length of the stub file in bytes when it was read, which shows whether `unusedPositions` are about it as it is.
        package var fileByteCount: Int?
        /// The files that the network shares with others.
        package var shared: [SharedFile]?
        package var summary = RunSummary()
        /// The number of requests that were sent to the real server.
        package var networkAttempts = 0
        /// The first fifty stubs that the process has recorded, by method, URL and response.
        package var recorded: [String] = []
        package var recordedCount: Int?
        /// The text that says which servers did not answer, if nothing was recorded because of that.
        package var withoutAnswer: String?
        /// The error because of which something was not recorded.
        package var recordingError: String?
        package var redaction: RedactionReport?
        /// The comparison of the stubs that were played in `.verifying` with the real server.
        package var verification: VerificationReport?
        /// The first fifty unstubbed requests.
        package var unstubbed: [UnstubbedRequestReport] = []
        /// The first fifty recorded stubs that no request asked for, by method and URL.
        package var unused: [String] = []
        /// The positions in the stub file, from 1, of all recorded stubs that no request asked for.
        package var unusedPositions: [Int]?
        package var processIdentifier: Int32?
        /// A Boolean value that indicates whether the process has exited; a process that is killed has not.
        package var hasExited: Bool?
    }

    /// The use of a stub file that belongs to another test.
    package struct SharedFile: Sendable, Codable, Equatable {
        package var file: String
        package var pathInPackage: String?
        package var fileByteCount: Int?
        package var unusedPositions: [Int]
    }

    package var version = 1
    /// The process that wrote the report last.
    package var processIdentifier: Int32
    package var networks: [Network] = []
    /// A Boolean value that indicates whether each process adds its networks instead of beginning the report again.
    package var isShared: Bool?
    /// The directory in which each process also keeps a report on its networks: `STUB_REPORT` of the test's process names it.
    package var directory: String?

    /// Begins the report that the processes of a test add to.
    ///
    /// A process that cannot write the file says so on standard error.
    package static func begin(at file: URL, copiedInto directory: String?) {
        let process = ProcessInfo.processInfo.processIdentifier
        let report = RunReport(processIdentifier: process, isShared: true, directory: directory)
        let data = try? JSONEncoder().encode(report)
        try? FileSystem.createDirectory(FileSystem.directory(of: file.path))
        try? data?.write(to: file, options: .atomic)
    }
}

extension RunReport.SharedFile {
    /// Creates the entry of a source that another test records; `nil` for one in memory.
    init?(_ stubs: StubSource) {
        guard let path = stubs.file?.path else { return nil }
        self.init(
            file: path,
            pathInPackage: StubDirectorySettings.pathInPackage(of: path),
            fileByteCount: stubs.byteCount,
            unusedPositions: stubs.unusedStubs().map(\.position)
        )
    }
}
