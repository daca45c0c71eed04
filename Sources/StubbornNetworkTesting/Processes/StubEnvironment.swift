import Foundation
import StubbornNetwork
import Testing

/// The environment of a process under test: its stub file, its record mode and its run report.
///
///     let environment = try StubEnvironment(named: "testLogin", directory: stubs, report: report)
///     process.environment = environment.variables                      // Foundation.Process
///     app.launchEnvironment.merge(environment.stubVariables) { $1 }    // XCUIApplication
///
/// In the process, `StubbornNetwork.standard` and each network of the configuration `.environment` use it. The process
/// obeys the rules of the test that starts it: `STUB_RECORD_MODE` overrides the mode in the test's code, and if `CI` is
/// set, nothing is recorded without that variable.
public struct StubEnvironment: Sendable, Hashable {
    /// All variables of the process: those of this process, such as `PATH`, and `stubVariables`.
    ///
    /// They are for a program that the test runs. An app must not get the variables of its test runner.
    public let variables: [String: String]

    /// The variables that this library reads.
    ///
    /// `TESTING`, `STUB_NAME`, `STUB_PATH` and `STUB_RUN` are always set. With `STUB_RUN`, all processes that the test
    /// starts belong to one run: they add to each other's recordings, and on playback each continues where the one
    /// before it ended. `STUB_REPORT` is set if a report is given, `STUB_RECORD_MODE` if this process has that variable
    /// or the test sets a mode, and `CI`, `STUB_COPIES` and `STUB_REPLACEMENTS` if this process has them.
    ///
    /// `TESTING` is the name of the running test, for the command that a report on an unstubbed request offers.
    public let stubVariables: [String: String]

    /// The stub file, which need not exist.
    package let stubFile: URL

    /// Creates an environment, and begins the run report in place of an older one.
    ///
    /// A report is continued if this process began it with the same variables and has not read it since, as when a UI test
    /// launches its app again.
    ///
    /// - Parameters:
    ///   - name: the stub file's name, usually the test's. `-[LoginTests testLogin]` gives `LoginTests_testLogin.json`.
    ///   - shared: the names of stub files that the process shares with others, such as a login. They answer what its own file
    ///     does not, and nothing is recorded into them.
    ///   - directory: the stub directory.
    ///   - recordMode: the record mode; by default the mode in the process's code, or `.playback`. `STUB_RECORD_MODE`
    ///     overrides it. When `CI` is set, nothing is recorded without that variable.
    ///   - report: the file for the run report, which `StubReport(contentsOf:)` reads; none by default. Several processes
    ///     may share it.
    ///   - inherited: the variables of the test's process; the process gets them too.
    ///   - fileID: the test's file, for the command that a report offers.
    ///   - function: the test's function, for the command that a report offers.
    /// - Throws: `StubbornNetworkError` if no file can have the name, if a URL is not a file URL, or if
    ///   `STUB_RECORD_MODE` is not a record mode.
    public init(
        named name: String,
        sharing shared: [String] = [],
        directory: URL,
        recordMode: RecordMode? = nil,
        report: URL? = nil,
        inheriting inherited: [String: String] = ProcessInfo.processInfo.environment,
        fileID: String = #fileID,
        function: String = #function
    ) throws {
        for url in [directory, report].compactMap({ $0 }) where !url.isFileURL {
            let advice = "Create it with URL(fileURLWithPath:)."
            throw StubbornNetworkError(.invalidSettings, "\(url.absoluteString) is not a file URL. \(advice)")
        }
        stubFile = try StubFileLocation(name: name, path: directory.path).file
        let mode = try Self.recordMode(requested: recordMode, EnvironmentSettings(inherited))
        let others = try shared.map { try StubFileLocation(name: $0, path: directory.path).file }
        let names = ([stubFile] + others).map { $0.deletingPathExtension().lastPathComponent }
        var variables = ["STUB_NAME": names.joined(separator: ":"), "STUB_PATH": directory.path]
        variables["TESTING"] = try Self.testFilter(name, fileID: fileID, function: function)
        variables["STUB_RECORD_MODE"] = mode?.rawValue
        // A file would be this process's own report. A directory contains a file for each network.
        let sharedReport = inherited["STUB_REPORT"].flatMap { RunReport.isDirectory($0) ? $0 : nil }
        let directoryOfReports = sharedReport.map { URL(fileURLWithPath: $0).path + "/" }
        variables["STUB_REPORT"] = report?.path ?? directoryOfReports
        for key in ["STUB_REPLACEMENTS", "STUB_COPIES", "CI"] { variables[key] = inherited[key] }
        variables["STUB_RUN"] = Run.nameForLaunch(recordingInto: stubFile, inheriting: inherited)
        stubVariables = variables
        self.variables = inherited.filter { $0.key != "STUB_REPORT" }.merging(variables) { $1 }
        if let report { RunReport.begin(at: report, for: variables, copiedInto: directoryOfReports) }
    }

    /// Returns the record mode of the process; `nil` if the process's own code decides.
    ///
    /// `STUB_RECORD_MODE` of the test's process overrides the mode in the test's code, which does not record if `CI` is
    /// set.
    ///
    /// - Throws: `StubbornNetworkError` for a `STUB_RECORD_MODE` that is not a record mode.
    private static func recordMode(requested: RecordMode?, _ environment: EnvironmentSettings) throws -> RecordMode? {
        let mode = try environment.recordMode()
        guard mode == nil, let requested else { return mode }
        let inForce = try environment.modeInForce(requested: Setting(wrappedValue: requested)).wrappedValue
        if inForce != requested { StandardError.writeOnce(.notRecorded(by: requested)) }
        return inForce
    }

    /// Returns the running test, in the form for `swift test --filter`, with a dot; all tests of the module if it is
    /// not known.
    private static func testFilter(_ name: String, fileID: String, function: String) throws -> String {
        let module = fileID.prefix { $0 != "/" }
        if let test = Test.current {
            let filter = try TestName(test, nil).filter
            return filter.contains(".") ? filter : "\(module).\(filter)"
        }
        let test = TestName(ofXCTest: name)
        let isXCTest = name.hasPrefix("-[") || (name == test.filter && test.path[1].hasPrefix("test"))
        if isXCTest { return test.filter }
        return function.hasPrefix("test") ? "\(module).*/\(function.prefix { $0 != "(" })" : "\(module)."
    }
}
