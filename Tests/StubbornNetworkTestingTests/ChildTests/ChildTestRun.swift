import Foundation
import LoopbackServer
import StubbornNetworkTesting
import Testing

/// A run of one test in a child process: this test bundle, started once more.
final class ChildTestRun {
    /// The two ways of writing a test.
    enum Library: String, CaseIterable, Sendable {
        case xcTest, swiftTesting

        /// The file that the test's stubs are in.
        var stubFile: String {
            switch self {
            case .xcTest: "ChildXCTests_testChild.json"
            case .swiftTesting: "ChildTraitTests_child.json"
            }
        }

        /// The test, as `swift test --filter` takes it.
        var filter: String {
            switch self {
            case .xcTest: "ChildXCTests.testChild"
            case .swiftTesting: "ChildTraitTests.child"
            }
        }

        /// The beginning of a failure that is reported at the line of the network.
        var failure: String {
            switch self {
            case .xcTest: "ChildTest.swift:\(ChildXCTests.line): error: ChildXCTests.testChild : failed - "
            case .swiftTesting:
                "child() recorded an issue at ChildTest.swift:\(ChildTraitTests.line):6: Issue recorded\n↳ "
            }
        }

        fileprivate var arguments: [String] {
            switch self {
            case .xcTest: ["--testing-library", "xctest", "StubbornNetworkTestingTests.ChildXCTests/testChild"]
            case .swiftTesting: ["--testing-library", "swift-testing", "--filter", "ChildTraitTests/child"]
            }
        }
    }

    /// What was left of a run.
    struct Result {
        let status: Int32
        /// Everything that the process wrote.
        let output: String
        /// The last parts of the URLs in the stub file, in order; `nil` if there is not a file.
        let stubs: [String]?

        var passed: Bool { status == 0 && output.contains("1 test") }
    }

    let library: Library
    let server: LoopbackServer
    /// The stub directory.
    let directory: URL
    var file: URL { directory.appendingPathComponent(library.stubFile) }

    /// The number of times that the runner repeats the test, which only Swift Testing does.
    var repetitionCount = 1
    var ending = ChildTest.Ending.succeeds
    /// The value of `STUB_RECORD_MODE`.
    var recordMode: String?
    /// The mode that the test's code names.
    var codeMode: RecordMode?
    var isOnCI = false
    /// A Boolean value that indicates whether the test starts a program that makes the request.
    var startsProgram = false
    var recordingPasses = false
    var failsOnUnusedStubs = false
    var timeout: TimeInterval?
    var path: String? = "/hello"

    init(_ library: Library) throws {
        self.library = library
        server = try LoopbackServer { request in .text("real \(request.path)") }
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("child-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Writes the test's stub file: a stub with the body `stub` for each path.
    func writeStubs(_ paths: String...) throws {
        let stubs = paths.map { path in
            """
            { "data" : "c3R1Yg==", "request" : { "method" : "GET", "url" : "\(server.url(path).absoluteString)" },
              "response" : { "statusCode" : 200 } }
            """
        }
        try Data("[\(stubs.joined(separator: ",\n"))]\n".utf8).write(to: file)
    }

    func run() async throws -> Result {
        let bundle = try #require(Bundle.main.executableURL)
        let (output, errors) = (
            directory.appendingPathComponent("out.txt"), directory.appendingPathComponent("err.txt")
        )
        let process = try SpawnedProcess(
            bundle,
            library.arguments + (repetitionCount > 1 ? ["--repetitions", "\(repetitionCount)"] : []),
            environment: environment,
            outputFile: output,
            errors: errors
        )
        let hasEnded = try await comesToHold { !process.isRunning }
        if !hasEnded { process.kill() }
        let texts = try [output, errors].map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        let status = process.wait()
        return Result(status: status, output: texts.joined(separator: "\n"), stubs: try stubs())
    }

    private var environment: [String: String] {
        // Nothing of what this process was started with may decide what the child records.
        var environment = ProcessInfo.processInfo.environment.filter { $0.key != "CI" && !$0.key.hasPrefix("STUB_") }
        environment[ChildTest.variables.directory] = directory.path
        environment[ChildTest.variables.url] = path.map { server.url($0).absoluteString }
        environment[ChildTest.variables.ending] = ending.rawValue
        if recordingPasses { environment[ChildTest.variables.passes] = "1" }
        if failsOnUnusedStubs { environment[ChildTest.variables.checksUnused] = "1" }
        environment[ChildTest.variables.timeout] = timeout.map { "\($0)" }
        environment[ChildTest.variables.mode] = codeMode?.rawValue
        if startsProgram { environment[ChildTest.variables.program] = "1" }
        if isOnCI { environment["CI"] = "true" }
        environment["STUB_RECORD_MODE"] = recordMode
        return environment
    }

    /// Reads the file by a parser that is not ours.
    private func stubs() throws -> [String]? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        return try #require(content as? [[String: Any]]).map { stub in
            let url = (stub["request"] as? [String: Any])?["url"] as? String
            return url?.split(separator: "/").last.map(String.init) ?? ""
        }
    }
}
