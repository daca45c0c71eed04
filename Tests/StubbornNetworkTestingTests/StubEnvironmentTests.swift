import Foundation
import LoopbackServer
import StubbornNetworkTesting
import Testing

/// The environment of a process under test.
struct StubEnvironmentTests {
    private let stubs = URL(fileURLWithPath: "/tests/Stubs")

    @Test func `the variables name test, file, mode and report`() throws {
        let report = FileManager.default.temporaryDirectory.appendingPathComponent("report-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: report) }
        let environment = try StubEnvironment(
            named: "-[LoginTests testLogin]",
            directory: stubs,
            recordMode: .recordingMissing,
            report: report,
            inheriting: [:]
        )
        let plain = try StubEnvironment(named: "a", directory: stubs, inheriting: [:])
        #expect(
            environment.variables == [
                "TESTING": "StubEnvironmentTests..the.variables.name.test..file..mode.and.report.",
                "STUB_NAME": "LoginTests_testLogin", "STUB_PATH": "/tests/Stubs",
                "STUB_RECORD_MODE": "recording-missing", "STUB_REPORT": report.path,
                "STUB_RUN": plain.variables["STUB_RUN"] ?? "",
            ]
        )
        #expect(environment.stubFile.path == "/tests/Stubs/LoginTests_testLogin.json")
        #expect(Set(plain.variables.keys) == ["TESTING", "STUB_NAME", "STUB_PATH", "STUB_RUN"])
    }

    @Test func `files that are shared follow the own one, whatever a name contains`() throws {
        let environment = try StubEnvironment(
            named: "a:b",
            sharing: ["Login", "c:d"],
            directory: stubs,
            inheriting: [:]
        )
        let names = environment.variables["STUB_NAME"]?.split(separator: ":") ?? []
        #expect(names.count == 3)
        #expect(names.first.map { "\($0).json" } == environment.stubFile.lastPathComponent)
        #expect(names.dropFirst().first == "Login")
        #expect(throws: StubbornNetworkError.self) {
            try StubEnvironment(named: "a", sharing: [""], directory: stubs, inheriting: [:])
        }
    }

    @Test func `a process adds to the directory of reports that its parent was given`() throws {
        let parent = ["STUB_REPORT": "/reports/"]
        let environment = try StubEnvironment(named: "a", directory: stubs, inheriting: parent)
        #expect(environment.variables["STUB_REPORT"] == "/reports/")
        let own = URL(fileURLWithPath: "/own.json")
        let other = try StubEnvironment(named: "a", directory: stubs, report: own, inheriting: parent)
        #expect(other.variables["STUB_REPORT"] == "/own.json")
    }

    @Test func `a directory of reports that exists needs no slash`() throws {
        let reports = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: reports, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: reports) }
        let parent = ["STUB_REPORT": reports.path]
        let environment = try StubEnvironment(named: "a", directory: stubs, inheriting: parent)
        #expect(environment.variables["STUB_REPORT"] == reports.path + "/")
    }

    @Test func `a process gets the variables of its parent, and an app those of this library alone`() throws {
        let environment = try StubEnvironment(
            named: "a",
            directory: stubs,
            inheriting: [
                "PATH": "/bin", "CI": "true", "STUB_NAME": "parent", "STUB_PATH": "/parent",
                "STUB_REPORT": "/parent.json",
                "STUB_RECORD_MODE": "live", "STUB_RUN": "/parents/run", "STUB_REPLACEMENTS": "/replacements.json",
            ]
        )
        var expected = [
            "TESTING":
                "StubEnvironmentTests..a.process.gets.the.variables.of.its.parent..and.an.app.those.of.this.library.alone.",
            "CI": "true", "STUB_NAME": "a", "STUB_PATH": "/tests/Stubs", "STUB_RECORD_MODE": "live",
            "STUB_RUN": "/parents/run", "STUB_REPLACEMENTS": "/replacements.json",
        ]
        #expect(environment.stubVariables == expected)
        expected["PATH"] = "/bin"
        #expect(environment.variables == expected)
        let path = try StubEnvironment(named: "a", directory: stubs).variables["PATH"]
        #expect(path == ProcessInfo.processInfo.environment["PATH"])
        #expect(path?.isEmpty == false)
    }

    @Test(
        arguments: [
            ([:], nil, nil),
            ([:], .recordingOnce, "recording-once"),
            (["CI": "true"], .recordingOnce, "playback"),
            (["CI": "true"], .recordingMissing, "playback"),
            (["CI": "true"], .live, "live"),
            (["CI": ""], .recording, "recording"),
            (["CI": "true"], nil, nil),
            (["STUB_RECORD_MODE": "recording"], nil, "recording"),
            (["STUB_RECORD_MODE": "recording"], .playback, "recording"),
            (["STUB_RECORD_MODE": "playback"], .recording, "playback"),
            (["CI": "true", "STUB_RECORD_MODE": "recording"], .recordingOnce, "recording"),
        ] as [([String: String], RecordMode?, String?)]
    )
    func `a person's mode wins over that of the test's code, which records nothing on CI`(
        inherited: [String: String],
        mode: RecordMode?,
        expected: String?
    ) throws {
        let environment = try StubEnvironment(named: "a", directory: stubs, recordMode: mode, inheriting: inherited)
        #expect(environment.variables["STUB_RECORD_MODE"] == expected)
        #expect(environment.variables["CI"] == inherited["CI"])
    }

    @Test(
        arguments: [
            ("-[LoginTests testLogin]", "setUp()", "LoginTests.testLogin"),
            ("-[AppTests.LoginTests testLogin]", "setUp()", "LoginTests.testLogin"),
            ("LoginTests.testLogin", "setUp()", "LoginTests.testLogin"),
            ("checkout", "testBuying()", "AppTests.*/testBuying"),
            ("checkout", "start(_:)", "AppTests."),
        ]
    )
    func `outside a test of Swift Testing, the test is known by its name or its function`(
        name: String,
        function: String,
        filter: String
    ) async throws {
        let stubs = stubs
        let environment = try await Task.detached {
            try StubEnvironment(named: name, directory: stubs, fileID: "AppTests/Login.swift", function: function)
        }.value
        #expect(environment.variables["TESTING"] == filter)
    }

    @Test(arguments: RecordMode.allCases)
    func `a process is told each record mode by its word`(mode: RecordMode) throws {
        let environment = try StubEnvironment(named: "a", directory: stubs, recordMode: mode, inheriting: [:])
        #expect(environment.variables["STUB_RECORD_MODE"] == mode.rawValue)
        let process = StubbornNetwork(.environment, environment: environment.variables)
        #expect(process.recordMode == mode)
        #expect(process.stubFile?.path == environment.stubFile.path)
    }

    @Test func `a name, a URL or a mode that cannot be used is an error`() {
        let web = URL(string: "https://a.test/")!
        #expect(throws: StubbornNetworkError.self) { try StubEnvironment(named: "-[]", directory: stubs) }
        #expect(throws: StubbornNetworkError.self) { try StubEnvironment(named: "a", directory: web) }
        #expect(throws: StubbornNetworkError.self) { try StubEnvironment(named: "a", directory: stubs, report: web) }
        let error = #expect(throws: StubbornNetworkError.self) {
            try StubEnvironment(named: "a", directory: stubs, inheriting: ["STUB_RECORD_MODE": "rec"])
        }
        #expect(error?.message.hasPrefix(#"STUB_RECORD_MODE is "rec", which is not a record mode."#) == true)
    }
}
