import Foundation
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// What a report offers helps: the option makes the nearest stub answer, the pattern holds for the request.
struct OfferedFixesTests {
    struct Mismatch: CustomTestStringConvertible {
        let name: String
        let recorded: StubRequest
        let requested: StubRequest
        var matchers: RequestMatcherOptions = .standard
        /// As offered, and made in code: the two have to say the same.
        var fix: RequestMatcherOptions?
        var ignoresWholeBody = false
        let offered: String
        let pattern: RequestPattern

        var testDescription: String { name }
    }

    private static let json: HeaderFields = ["Content-Type": "application/json"]
    private static let form: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]

    private static func post(_ body: String, _ fields: HeaderFields = json) -> StubRequest {
        .make("POST", "https://a.test/x", fields, body: body)
    }

    static let mismatches: [Mismatch] = [
        Mismatch(
            name: "a query item",
            recorded: .get("https://a.test/x?page=1&sort=asc"),
            requested: .get("https://a.test/x?page=2&sort=asc"),
            fix: [.httpMethod, .url(ignoringQueryItems: ["page"]), .requestBody],
            offered: #".get("https://a.test/x?page=2&sort=asc")"#,
            pattern: .get("https://a.test/x?page=2&sort=asc")
        ),
        Mismatch(
            name: "a query item whose name has to be escaped",
            recorded: .get("https://a.test/x?a%22b%5C%5B%5D=1"),
            requested: .get("https://a.test/x?a%22b%5C%5B%5D=2"),
            fix: [.httpMethod, .url(ignoringQueryItems: ["a\"b\\[]"]), .requestBody],
            offered: #".get("https://a.test/x?a%22b%5C%5B%5D=2")"#,
            pattern: .get("https://a.test/x?a%22b%5C%5B%5D=2")
        ),
        Mismatch(
            name: "the host",
            recorded: .get("https://a.test/x?p=1"),
            requested: .get("https://b.test/x?p=1"),
            fix: [.httpMethod, .path, .query, .requestBody],
            offered: #".get("https://b.test/x?p=1")"#,
            pattern: .get("https://b.test/x?p=1")
        ),
        Mismatch(
            name: "scheme and port",
            recorded: .get("https://a.test/x"),
            requested: .get("http://a.test:8080/x"),
            fix: [.httpMethod, .path, .query, .requestBody],
            offered: #".get("http://a.test:8080/x")"#,
            pattern: .get("http://a.test:8080/x")
        ),
        Mismatch(
            name: "the host alone",
            recorded: .get("https://a.test/x"),
            requested: .get("https://b.test/x"),
            matchers: .lenient,
            fix: [.httpMethod, .path],
            offered: #".get("https://b.test/x")"#,
            pattern: .get("https://b.test/x")
        ),
        Mismatch(
            name: "a header field of all",
            recorded: .make("GET", "https://a.test/x", ["X-Build": "1", "X-Client": "a"]),
            requested: .make("GET", "https://a.test/x", ["x-build": "2", "X-Client": "a"]),
            matchers: .strict,
            fix: [.httpMethod, .url, .headers(ignoring: ["x-build"]), .requestBody],
            offered: #".get("https://a.test/x")"#,
            pattern: .get("https://a.test/x")
        ),
        Mismatch(
            name: "one more header field",
            recorded: .make("GET", "https://a.test/x", ["X-A": "1", "X-B": "1"]),
            requested: .make("GET", "https://a.test/x", ["X-A": "1"]),
            matchers: [.url, .headers(ignoring: ["X-A"])],
            fix: [.url, .headers(ignoring: ["X-A", "X-B"])],
            offered: #".get("https://a.test/x")"#,
            pattern: .get("https://a.test/x")
        ),
        Mismatch(
            name: "a header field by name",
            recorded: .make("GET", "https://a.test/x", ["Accept": "a/b"]),
            requested: .make("GET", "https://a.test/x", ["Accept": "c/d"]),
            matchers: [.url, .headers(named: ["Accept", "X-A"])],
            fix: [.url, .headers(named: ["X-A"])],
            offered: #".get("https://a.test/x")"#,
            pattern: .get("https://a.test/x")
        ),
        Mismatch(
            name: "JSON members",
            recorded: post(#"{"meta":{"at":1,"v":1},"on":true,"n":null}"#),
            requested: post(#"{"meta":{"at":2.5,"v":1},"on":false,"n":null}"#),
            fix: [.httpMethod, .url, .requestBody(ignoringJSONKeyPaths: ["meta.at", "on"])],
            offered: #".post("https://a.test/x")"#,
            pattern: .post("https://a.test/x")
        ),
        Mismatch(
            name: "JSON members in arrays",
            recorded: post(#"{"items":[{"id":1,"a":1},{"id":2}]}"#),
            requested: post(#"{"items":[{"id":1,"a":1},{"id":3}]}"#),
            fix: [.httpMethod, .url, .requestBody(ignoringJSONKeyPaths: ["items.id"])],
            offered: #".post("https://a.test/x")"#,
            pattern: .post("https://a.test/x")
        ),
        Mismatch(
            name: "a JSON member that is not there any more, or null",
            recorded: post(#"{"a":1,"b":1}"#),
            requested: post(#"{"b":null}"#),
            fix: [.httpMethod, .url, .requestBody(ignoringJSONKeyPaths: ["a", "b"])],
            offered: #".post("https://a.test/x")"#,
            pattern: .post("https://a.test/x")
        ),
        Mismatch(
            name: "a whole JSON body",
            recorded: post("[1]"),
            requested: post(#"[2, "a\n"]"#),
            fix: [.httpMethod, .url],
            ignoresWholeBody: true,
            offered: #".post("https://a.test/x")"#,
            pattern: .post("https://a.test/x")
        ),
        Mismatch(
            name: "form fields",
            recorded: post("a=1&b=x", form),
            requested: post("a=1&b=y+%26+z", form),
            fix: [.httpMethod, .url, .requestBody(ignoringFields: ["b"])],
            offered: #".post("https://a.test/x")"#,
            pattern: .post("https://a.test/x")
        ),
        Mismatch(
            name: "a generated segment of the path",
            recorded: .get("https://a.test/reports/1795330000123"),
            requested: .get("https://a.test/reports/1795330000999"),
            fix: [.httpMethod, .url(ignoringPathParameters: ["/reports/:value"]), .requestBody],
            offered: #".get("https://a.test/reports/1795330000999")"#,
            pattern: .get("https://a.test/reports/1795330000999")
        ),
        Mismatch(
            name: "a text of XML",
            recorded: post("<a><at>1</at></a>", ["Content-Type": "text/xml"]),
            requested: post("<a><at>2</at></a>", ["Content-Type": "text/xml"]),
            fix: [.httpMethod, .url],
            ignoresWholeBody: true,
            offered: #".post("https://a.test/x")"#,
            pattern: .post("https://a.test/x")
        ),
        Mismatch(
            name: "a part of a form with files",
            recorded: .upload("one", ["1"], names: ["at"]),
            requested: .upload("two", ["2"], names: ["at"]),
            fix: [.httpMethod, .url, .requestBody(ignoringFields: ["at"])],
            offered: #".post("https://api.test/upload")"#,
            pattern: .post("https://api.test/upload")
        ),
        Mismatch(
            name: "a text",
            recorded: post("one", [:]),
            requested: post("t\"w\\o\n", [:]),
            fix: [.httpMethod, .url],
            ignoresWholeBody: true,
            offered: #".post("https://a.test/x")"#,
            pattern: .post("https://a.test/x")
        ),
        Mismatch(
            name: "bytes, which no pattern is offered for",
            recorded: .bytes([1]),
            requested: .bytes([0xFF]),
            fix: [.httpMethod, .url],
            ignoresWholeBody: true,
            offered: #".post("https://api.test/blob")"#,
            pattern: .post("https://api.test/blob")
        ),
        Mismatch(
            name: "a path, which no option ignores",
            recorded: .get("https://a.test/x"),
            requested: .get("https://a.test/y"),
            offered: #".get("https://a.test/y")"#,
            pattern: .get("https://a.test/y")
        ),
        Mismatch(
            name: "a method that is not one of the seven",
            recorded: .get("https://a.test/x"),
            requested: .make("PURGE", "https://a.test/x#end"),
            offered: #".method("PURGE") && .url("https://a.test/x")"#,
            pattern: .method("PURGE") && .url("https://a.test/x")
        ),
        Mismatch(
            name: "a secret in the URL",
            recorded: .get("https://a.test/x?page=1"),
            requested: .get("https://a.test/x?page=2&access_token=s3cr3t-abcdef"),
            fix: [.httpMethod, .url(ignoringQueryItems: ["access_token", "page"]), .requestBody],
            offered: #".get("/x")"#,
            pattern: .get("/x")
        ),
        Mismatch(
            name: "user info in the URL",
            recorded: .get("https://a.test/x"),
            requested: .get("https://me:s3cr3t@a.test/y"),
            offered: #".get("https://a.test/y")"#,
            pattern: .get("https://a.test/y")
        ),
        Mismatch(
            name: "a secret in a header field",
            recorded: .make("GET", "https://a.test/x"),
            requested: .make("GET", "https://a.test/x", ["Authorization": "Bearer abcdefgh12345678"]),
            matchers: .strict,
            fix: [.httpMethod, .url, .headers(ignoring: ["Authorization"]), .requestBody],
            offered: #".get("https://a.test/x")"#,
            pattern: .get("https://a.test/x")
        ),
        Mismatch(
            name: "a secret in a body",
            recorded: post(#"{"name":"a"}"#),
            requested: post(#"{"name":"b","password":"hunter2-hunter2"}"#),
            fix: [.httpMethod, .url, .requestBody(ignoringJSONKeyPaths: ["name", "password"])],
            offered: #".post("https://a.test/x")"#,
            pattern: .post("https://a.test/x")
        ),
        Mismatch(
            name: "a URL that is too long to offer",
            recorded: .get("https://a.test/x"),
            requested: .get("https://a.test/x?q=\(String(repeating: "a", count: 2_000))&page=2"),
            fix: [.httpMethod, .url(ignoringQueryItems: ["page", "q"]), .requestBody],
            offered: #".get("/x")"#,
            pattern: .get("/x")
        ),
    ]

    @Test(arguments: mismatches)
    func `the offered fixes work`(mismatch: Mismatch) throws {
        let scene = try ReportScene(mismatch.recorded) { $0.requestMatcherOptions = mismatch.matchers }
        let report = try scene.full(on: mismatch.requested)
        let fixes = Dictionary(report.fixes.map { ($0.purpose, $0.code) }) { $1 }
        #expect(fixes["To declare it"] == "network.stub(\(mismatch.offered), with: .status(200))")
        let purpose = mismatch.ignoresWholeBody ? "To ignore the whole body" : "To ignore it"
        #expect(fixes[purpose] == mismatch.fix.map { "network.requestMatcherOptions = \($0)" })
        if let fix = mismatch.fix {
            scene.network.requestMatcherOptions = fix
            #expect(throws: Never.self) { try scene.network.response(to: mismatch.requested.urlRequest) }
            scene.network.requestMatcherOptions = mismatch.matchers
        }
        scene.network.stub(mismatch.pattern, with: .status(299))
        let (_, response) = try scene.network.response(to: mismatch.requested.urlRequest)
        #expect(response.status == 299)
        #expect(mismatch.pattern.match(mismatch.requested) != nil)
    }

    @Test(arguments: mismatches)
    func `nothing that is offered shows a secret, deletes a file or undoes a change`(mismatch: Mismatch) throws {
        let words = ["redact", "excluding", ".none", "rm ", "checkout", "restore", "reset", "prune", "-f"]
        for files in [[mismatch.recorded], [], nil] {
            let scene = try ReportScene(file: files) { $0.requestMatcherOptions = mismatch.matchers }
            let fixes = try scene.full(on: mismatch.requested).fixes
            #expect(!fixes.isEmpty)
            for fix in fixes { #expect(!words.contains { fix.code.contains($0) }, "\(fix.code)") }
        }
    }

    @Test func `a used-up sequence answers again with the offered order`() throws {
        let request = StubRequest.get("https://a.test/x")
        let scene = try ReportScene(request, asked: 1) { $0.playbackOrder = .sequence }
        let report = try scene.full(on: request)
        #expect(report.fixes.first?.code == "network.playbackOrder = .sequenceThenLast")
        scene.network.playbackOrder = .sequenceThenLast
        #expect(throws: Never.self) { try scene.network.response(to: request.urlRequest) }
    }

    @Test func `options with a custom matcher are not offered as an assignment`() throws {
        let scene = try ReportScene(.get("https://a.test/x?p=1")) {
            $0.requestMatcherOptions = [.url, .custom { _, _ in true }]
        }
        let report = try scene.full(on: .get("https://a.test/x?p=2"))
        #expect(report.nearest?.differences == [#"url.query.p: recorded "1", requested "2""#])
        #expect(!report.fixes.contains { $0.purpose == "To ignore it" && $0.code.contains(".custom") })
    }

    @Test(
        arguments: [
            (.network, "network.recordMode = ."), (.trait, "StubbornNetwork.current.recordMode = ."),
            (.xcTest, "network.recordMode = ."),
        ] as [(AdviceTarget, String)],
        ["XCTestConfigurationFilePath", "XCTestSessionIdentifier"]
    )
    func `under Xcode a line of code and the variable record, and no command of the package manager`(
        line: (target: AdviceTarget, start: String),
        variable: String
    ) throws {
        func fixes(_ recorded: [StubRequest]?, _ more: [String: String] = [:]) throws -> [String] {
            let environment = more.merging([variable: "x"]) { $1 }
            let scene = try ReportScene(file: recorded, environment: environment) {
                $0.setTest(filter: "A.b", target: line.target)
            }
            return try scene.full(on: .get("https://a.test/y")).fixes.lines.filter { $0.hasPrefix("To record it") }
        }
        let variables = [
            "To record it, set in the scheme or the test plan:  STUB_RECORD_MODE=recording-missing",
            "To record it, as a prefix of the xcodebuild command:  TEST_RUNNER_STUB_RECORD_MODE=recording-missing",
        ]
        #expect(try fixes(nil) == ["To record it:  \(line.start)recordingOnce"] + variables)
        let recorded = [StubRequest.get("https://a.test/x")]
        #expect(try fixes(recorded) == ["To record it:  \(line.start)recordingMissing"] + variables)
        // Code has no say there.
        #expect(try fixes(recorded, ["CI": "true"]) == variables)
        #expect(try fixes(recorded, ["STUB_RECORD_MODE": "playback"]) == variables)
    }

    @Test(
        arguments: [
            (.trait, "@Test(.stubbed(in: .module))"), (.xcTest, "stubbedNetwork(in: .module)"), (.network, nil),
        ] as [(AdviceTarget, String?)]
    )
    func `where the stub directory cannot be written, the report says so and names the ways`(
        target: AdviceTarget,
        code: String?
    ) throws {
        let directory = TemporaryDirectory()
        try directory.write("", to: "file")
        let stubs = "\(directory.path)/file/Stubs"
        let fixes = RecordingAdvice(
            file: URL(fileURLWithPath: "\(stubs)/a.json"),
            environment: EnvironmentSettings([:]),
            isConfiguredByEnvironment: false,
            test: RunningTest(filter: "A.b", target: target)
        ).fixes("To record it", mode: .recordingMissing)
        let advice =
            code.map {
                """
                To record it, run the test in a simulator or on a Mac: \(stubs) cannot be written here. To play back here, \
                from the resources of the test target:  \($0)  // in an Xcode project: in: Bundle(for: YourTests.self)
                """
            } ?? "To record it:  run it in a simulator or on a Mac; \(stubs) cannot be written here"
        #expect(fixes.lines == [advice])
    }

    @Test func `a request with a placeholder is offered to record the whole test, because no server accepts it`() throws
    {
        let scene = try ReportScene(.get("https://a.test/x"))
        let report = try scene.full(on: .make("GET", "https://a.test/y", ["Authorization": "Bearer REDACTED-token-1"]))
        let lines = report.fixes.lines.filter { $0.contains("STUB_RECORD_MODE") }
        #expect(
            lines == [
                """
                To record the test again, because the request has a placeholder:  start this process with \
                STUB_RECORD_MODE=recording
                """
            ]
                || lines == [
                    "To record the test again, because the request has a placeholder:  STUB_RECORD_MODE=recording swift test"
                ]
        )
    }

    @Test func `a GraphQL request is declared by its operation`() throws {
        func call(_ name: String) -> StubRequest {
            Self.post(#"{"operationName":"\#(name)","query":"query \#(name) { user { id } }"}"#)
        }
        let scene = try ReportScene(call("Users"))
        let code = try scene.full(on: call("Books")).fixes.first { $0.purpose == "To declare it" }?.code
        #expect(code == #"network.stub(.graphQL("Books"), with: .status(200))"#)
        scene.network.stub(.graphQL("Books"), with: .status(299))
        #expect(try scene.network.response(to: call("Books").urlRequest).1.status == 299)
    }

    @Test func `code that uses the network of the process gets lines that name it`() throws {
        let scene = try ReportScene(.get("https://a.test/x"))
        scene.network.setTest(filter: "A.b", target: .standard)
        let code = try scene.full(on: .get("https://a.test/y")).fixes.map(\.code)
        #expect(code.contains(#"StubbornNetwork.standard.stub(.get("https://a.test/y"), with: .status(200))"#))
    }

    @Test(arguments: [false, true])
    func `a stub that no recording removes is deleted at its line`(mayShareFile: Bool) throws {
        let scene = try ReportScene(.get("https://a.test/x")) { network in
            mayShareFile ? network.setTest(filter: "A.b", mayShareFile: true) : network.keepUnrequestedStubs()
        }
        try scene.network.loadStubs()
        let path = try #require(scene.network.stubFile?.path)
        let report = try #require(scene.network.unusedStubReports.first)
        #expect(report.description.hasSuffix("\nTo remove it:  delete it at \(path):2"))
    }

    @Test(
        arguments: [
            (nil, nil, nil, "STUB_RECORD_MODE=recording-missing swift test"),
            (nil, nil, "A.b", "STUB_RECORD_MODE=recording-missing swift test --filter A.b"),
            (
                "-[A b]", "/x y/it's", nil,
                #"STUB_RECORD_MODE=recording-missing STUB_NAME='-[A b]' STUB_PATH='/x y/it'\''s' swift test --filter A.b"#
            ),
            ("login", "Stubs", nil, "STUB_RECORD_MODE=recording-missing STUB_NAME=login STUB_PATH=Stubs swift test"),
        ] as [(String?, String?, String?, String)]
    )
    func `the command can be pasted into a shell`(name: String?, path: String?, filter: String?, command: String) {
        let advice = RecordingAdvice(
            file: nil,
            environment: EnvironmentSettings(["STUB_NAME": name ?? "", "STUB_PATH": path ?? ""]),
            isConfiguredByEnvironment: true,
            test: RunningTest(filter: filter, target: .network)
        )
        #expect(advice.fixes("To record it", mode: .recordingMissing).map(\.code) == [command])
    }
}
