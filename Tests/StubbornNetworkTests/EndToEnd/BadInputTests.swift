import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Bad input gets a clear error, and nothing is lost.
@Suite(.timeLimit(.minutes(5)))
struct BadInputTests {
    let directory = TemporaryDirectory()
    let url = URL(string: "http://api.test/a")!

    private func network(_ mode: RecordMode, path: String? = nil) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "bad", path: path ?? directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @Test(arguments: [("-[]", "Stubs", "in Stubs"), ("testLogin", "", "in an empty directory")])
    func `a network with a name that no file can have fails each request and says so`(
        name: String,
        path: String,
        origin: String
    ) async throws {
        let network = StubbornNetwork(.persistent(named: name, in: path), environment: [:])
        network.stub(.any, with: .status(200))
        for _ in 1...2 {
            let error = await expectStubbornNetworkError { try await network.session.data(from: url) }
            #expect(error?.code == .invalidSettings)
            #expect(error?.message.hasPrefix("No stub file can be named \"\(name)\" (\(origin)).") == true)
        }
        #expect(throws: StubbornNetworkError.self) { try network.loadStubs() }
    }

    @Test(arguments: [RecordMode.recording, .playback], [true, false])
    func `a request whose body cannot be read fails, and is not recorded`(mode: RecordMode, isUpload: Bool) async throws
    {
        let network = network(mode)
        let (session, missing) = (network.session, directory.file("missing.txt"))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        if !isUpload { request.httpBodyStream = InputStream(fileAtPath: missing.path) }
        let sent = request
        await #expect(throws: (any Error).self) {
            _ = isUpload ? try await session.upload(for: sent, fromFile: missing) : try await session.data(for: sent)
        }
        try network.finishRecording()
        #expect(network.recordedStubs.isEmpty && network.unstubbedRequests.isEmpty)
    }

    @Test func `a network can be created without unwrapping anything`() {
        let network = StubbornNetwork(.persistent(named: "-[LoginTests testLogin]", in: directory.path))
        #expect(network.stubFile == directory.file("LoginTests_testLogin.json"))
    }

    static let malformedFiles: [(content: String, complaint: String)] = [
        ("", "bad.json:1:1: "),
        ("not JSON", "bad.json:1:1: "),
        ("{}", "bad.json:1:1: "),
        ("[1]", "bad.json:1:2: "),
        (
            #"[{"request": {"url": "http://api.test/a", "method": "GET"}, "response": {"statusCode": 200}"#,
            "bad.json:1:"
        ),
        (
            """
            [
              {
                "request" : { "method" : "GET", "url" : "http://api.test/a" },
                "data" : "***",
                "response" : { "statusCode" : 200 }
              }
            ]
            """, "bad.json:4:14: "
        ),
        (
            """
            [
              {
                "request" : { "method" : "GET", "url" : "http://api.test/a" },
                "response" : { "statusCode" : 99999 }
              }
            ]
            """, "bad.json:4:35: "
        ),
        (
            """
            [
              {
                "request" : { "method" : "GET", "url" : "http://api.test/a" },
                "response" : { "headerFields" : [ "Content-Type: text/plain" ], "statusCode" : 200 }
              }
            ]
            """, "bad.json:4:39: "
        ),
    ]

    @Test(arguments: malformedFiles, [RecordMode.playback, .recording, .recordingMissing, .recordingOnce])
    func `a malformed stub file fails each request, naming line and column, and is never overwritten`(
        file: (content: String, complaint: String),
        mode: RecordMode
    ) async throws {
        try directory.write(file.content, to: "bad.json")
        let server = try LoopbackServer()
        let network = network(mode)
        for _ in 0..<2 {
            let error = await expectStubbornNetworkError {
                try await network.session.data(from: server.url("/hello"))
            }
            #expect(error?.code == .malformedStubFile)
            #expect(error?.message.contains(file.complaint) == true, "\(error?.message ?? "")")
            #expect(error?.file == directory.file("bad.json"))
        }
        #expect(throws: StubbornNetworkError.self) { try network.loadStubs() }
        try network.finishRecording()
        #expect(try directory.text(of: "bad.json") == file.content)
        #expect(server.connectionCount == 0)
    }

    @Test func `a declared stub answers in spite of a malformed file`() async throws {
        try directory.write("not JSON", to: "bad.json")
        let network = network(.playback)
        network.stub(.any, with: .text("declared"))
        let (data, _) = try await network.session.data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "declared")
    }

    @Test(arguments: [RecordMode.playback, .recordingMissing])
    func `a directory in the place of the file is named`(mode: RecordMode) async throws {
        try FileManager.default.createDirectory(at: directory.file("bad.json"), withIntermediateDirectories: true)
        let error = await expectStubbornNetworkError { try await network(mode).session.data(from: url) }
        #expect(error?.code == .unreadableStubFile)
        #expect(error?.message.contains("Is a directory") == true)
    }

    @Test func `a missing file is named when playing back`() async throws {
        let network = network(.playback)
        let error = await expectStubbornNetworkError { try await network.session.data(from: url) }
        #expect(error?.code == .stubFileNotFound)
        #expect(
            error?.message == """
                No stub answers GET http://api.test/a (playback, \(directory.path)/bad.json): the stub file does not exist. \
                The network was not touched.
                Mode playback (set in code).
                To record it:  STUB_RECORD_MODE=recording-missing swift test
                To declare it:  network.stub(.get("http://api.test/a"), with: .status(200))
                """
        )
        let loading = #expect(throws: StubbornNetworkError.self) { try network.loadStubs() }
        #expect(loading?.code == .stubFileNotFound)
        #expect(directory.contents == [])
    }

    @Test func `a missing directory is made when recording`() async throws {
        let server = try LoopbackServer()
        let network = network(.recordingOnce, path: directory.path + "/deep/er")
        _ = try await network.session.data(from: server.url("/hello"))
        try network.finishRecording()
        #expect(FileManager.default.fileExists(atPath: directory.path + "/deep/er/bad.json"))
    }

    @Test func `a directory that cannot be written fails the request before the server is asked`() async throws {
        try directory.write("a file", to: "occupied")
        let server = try LoopbackServer()
        let network = network(.recording, path: directory.path + "/occupied")
        let error = await expectStubbornNetworkError {
            try await network.session.data(from: server.url("/hello"))
        }
        #expect(error?.code == .unreadableStubFile || error?.code == .unwritableStubFile)
        #expect(error?.message.contains("Not a directory") == true)
        #expect(server.connectionCount == 0)
    }

    @Test func `a run that could store nothing says so at its end, also to code that ignores errors of requests`()
        async throws
    {
        let server = try LoopbackServer()
        let stubs = directory.file("Stubs").path
        FileOperation.faults.withLock { $0[stubs] = { call, _ in call == .createDirectory ? SystemError(EROFS) : nil } }
        defer { FileOperation.faults.withLock { $0[stubs] = nil } }
        let network = StubbornNetwork(
            .persistent(name: "a", path: directory.path + "/Stubs")!,
            environment: .newRun
        )
        network.recordMode = .recording
        let error = await expectStubbornNetworkError {
            try await network.session.data(from: server.url("/hello"))
        }
        #expect(error?.code == .unwritableStubFile)
        #expect(server.connectionCount == 0)
        let other = await expectStubbornNetworkError {
            try await network.response(to: StubRequest(url: server.url("/hello"))) { _ in
                Issue.record("the server was asked")
                return .status(200)
            }
        }
        #expect(other?.message == error?.message)
        let end = #expect(throws: StubbornNetworkError.self) { try network.finishRecording() }
        #expect(end?.message == error?.message)
        try network.finishRecording()
    }

    @Test func `a name cannot leave the directory`() async throws {
        let server = try LoopbackServer()
        let network = StubbornNetwork(.persistent(name: "../../etc/x", path: directory.path)!, environment: .newRun)
        network.recordMode = .recording
        _ = try await network.session.data(from: server.url("/hello"))
        try network.finishRecording()
        #expect(directory.contents == ["___.._etc_x_24bc7b25.json"])
    }

    @Test func `one variable of the pair fails every request, naming the other`() async throws {
        let network = StubbornNetwork(.environment, environment: ["STUB_NAME": "a"])
        let error = await expectStubbornNetworkError { try await network.session.data(from: url) }
        #expect(error?.code == .invalidSettings)
        #expect(error?.message.contains("STUB_PATH is not") == true)
    }

    @Test func `an unstubbed request says what came closest and what to do`() async throws {
        try directory.write(
            """
            [
              {
                "request" : { "method" : "GET", "url" : "http://api.test/a?page=1" },
                "response" : { "statusCode" : 200 }
              }
            ]
            """,
            to: "bad.json"
        )
        let reports = Reports()
        let network = network(.playback)
        network.onUnstubbedRequest = { reports.add($0) }
        let page = URL(string: "http://api.test/a?page=2")!
        let error = await expectStubbornNetworkError { try await network.session.data(from: page) }
        #expect(
            error?.message == """
                No stub answers GET http://api.test/a?page=2 (playback, \(directory.path)/bad.json, 1 stub, 1 for this path). \
                The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback \
                (set in code).
                Closest is stub 1, GET http://api.test/a?page=1:
                  at \(directory.path)/bad.json:2, not used so far
                  url.query.page: recorded "1", requested "2"
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To ignore it:  network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["page"]), .requestBody]
                To declare it:  network.stub(.get("http://api.test/a?page=2"), with: .status(200))
                """
        )
        #expect(reports.all.map(\.description) == [error?.message])
        #expect(network.unstubbedRequests.map(\.url) == [page])
        #expect(network.unusedStubs.count == 1)
    }
}

final class Reports: @unchecked Sendable {
    private let lock = NSLock()
    private var reports: [UnstubbedRequestReport] = []

    var all: [UnstubbedRequestReport] { lock.withLock { reports } }

    func add(_ report: UnstubbedRequestReport) {
        lock.withLock { reports.append(report) }
    }
}
