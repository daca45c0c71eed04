import Foundation
import StubbornNetwork

/// The environment of a process under test: its stub file, its record mode and its run report.
///
///     let environment = try StubEnvironment(named: "testLogin", directory: stubs, report: report)
///     app.launchEnvironment.merge(environment.variables) { $1 }        // XCUIApplication
///     process.environment = environment.variables                      // Foundation.Process
///
/// In the process, `StubbornNetwork.standard` and each network of the configuration `.environment` use it.
public struct StubEnvironment: Sendable, Hashable {
    /// The variables `TESTING`, `STUB_NAME` and `STUB_PATH`, and `STUB_RECORD_MODE` and `STUB_REPORT` if given.
    public let variables: [String: String]

    /// The stub file, which need not exist.
    public let stubFile: URL

    /// Creates an environment.
    ///
    /// - Parameters:
    ///   - name: the stub file's name, usually the test's. `-[LoginTests testLogin]` names `LoginTests_testLogin.json`.
    ///   - directory: the stub directory.
    ///   - recordMode: the record mode; by default that of the process's code, `.playback` unless it sets another.
    ///   - report: the file for the process's run report, which `StubReport(contentsOf:)` reads; none by default.
    /// - Throws: `StubbornNetworkError` for a name that cannot name a file, or a URL that is not a file's.
    public init(named name: String, directory: URL, recordMode: RecordMode? = nil, report: URL? = nil) throws {
        for url in [directory, report].compactMap({ $0 }) where !url.isFileURL {
            throw StubbornNetworkError.noFileURL(url)
        }
        guard let fileName = StubbornNetworkConfiguration.fileName(for: name) else {
            throw StubbornNetworkError.unusableName(name, origin: "in \(directory.path)")
        }
        stubFile = directory.appendingPathComponent(fileName + ".json")
        var variables = ["TESTING": "1", "STUB_NAME": name, "STUB_PATH": directory.path]
        variables["STUB_RECORD_MODE"] = recordMode?.rawValue
        variables["STUB_REPORT"] = report?.path
        self.variables = variables
    }
}
