import Foundation
import StubbornNetwork

/// The environment of a process under test: which stub file it plays back or records, and where it reports.
///
///     let environment = try StubEnvironment(named: "testLogin", directory: stubs, report: report)
///     app.launchEnvironment.merge(environment.variables) { $1 }        // XCUIApplication
///     process.environment = environment.variables                      // Foundation.Process
///
/// In the process, `StubbornNetwork.standard`, and each network of the configuration `.environment`, goes by it.
public struct StubEnvironment: Sendable, Hashable {
    /// `TESTING`, `STUB_NAME` and `STUB_PATH`; `STUB_RECORD_MODE` and `STUB_REPORT` where they are given.
    public let variables: [String: String]

    /// The stub file that they name, whether or not it is there.
    public let stubFile: URL

    /// - Parameters:
    ///   - name: the stub file's, usually the test's. `-[LoginTests testLogin]` names `LoginTests_testLogin.json`.
    ///   - directory: the stub directory.
    ///   - recordMode: `nil` leaves it to the process, which plays back unless its code says otherwise.
    ///   - report: the file that the process keeps its run report in, for `StubReport(contentsOf:)`; none by default.
    /// - Throws: `StubbornNetworkError` where the name names no file, or an address is no file's.
    public init(named name: String, directory: URL, recordMode: RecordMode? = nil, report: URL? = nil) throws {
        guard directory.isFileURL, report?.isFileURL != false else {
            let url = directory.isFileURL ? report ?? directory : directory
            throw StubbornNetworkError(
                .invalidLocation,
                "\(url.absoluteString) is no file URL. Make it by URL(fileURLWithPath:)."
            )
        }
        guard let fileName = StubbornNetworkConfiguration.fileName(for: name) else {
            throw StubbornNetworkError(
                .invalidLocation,
                "\(name.quoted()) names no stub file: nothing is left of it without brackets and hyphens. Use the test's name."
            )
        }
        stubFile = directory.appendingPathComponent(fileName + ".json")
        var variables = ["TESTING": "1", "STUB_NAME": name, "STUB_PATH": directory.path]
        variables["STUB_RECORD_MODE"] = recordMode?.rawValue
        variables["STUB_REPORT"] = report?.path
        self.variables = variables
    }
}
