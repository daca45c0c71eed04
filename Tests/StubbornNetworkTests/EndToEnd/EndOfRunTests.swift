import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Which stubs stay, and which go, when a process ends that records a shared file again with twelve tests.
///
/// The file has stubs of the login and of twelve tests, of a request that never ends, and one that no test asks for.
@Suite(.timeLimit(.minutes(5)))
struct EndOfRunTests {
    let directory = TemporaryDirectory()
    let server: LoopbackServer
    private let count = 12

    init() throws {
        server = try LoopbackServer()
    }

    private var old: [String] { (0...count).map { "/bytes/\($0)" } + ["/hang", "/stale"] }

    private func writeOldStubs() throws {
        let stubs = old.map { path in
            let stub = Stub(request: StubRequest(url: server.url(path)), response: .status(599))
            return StubFileEntry(rendering: stub, bodyEncoding: .base64)
        }
        try StubFileStore(file: directory.file("Shared.json")).write(StubFileDocument(entries: stubs).data)
    }

    private func child(_ environment: [String: String] = [:], mode: RecordMode = .recording) throws -> ChildProcess {
        let variables = ["STUB_NAME": "Shared", "STUB_RECORD_MODE": mode.rawValue, "TESTS": "1"]
        return try ChildProcess(
            count,
            atATime: 1,
            of: server.url("/bytes/"),
            environment: variables.merging(environment) { $1 },
            directory: directory
        )
    }

    /// The paths that the next process finds, and the messages when it opens the file.
    private func found() throws -> [String] {
        let store = StubFileStore(file: directory.file("Shared.json"))
        let paths = try StubFileGeneration.open(store).entries.map(\.stub.request.url.path)
        #expect(try store.read()?.entries.map(\.stub.request.url.path) == paths)
        #expect(directory.contents.filter { $0.hasSuffix(".journal") } == [])
        return paths
    }

    /// What the twelve tests ask for, in the order of the old file: the login again for each test.
    private var asked: Set<String> { Set(old.dropLast(2)) }

    @Test func `at the good end of the run the stubs go that no test asked for, and are named once`() throws {
        try writeOldStubs()
        let errors = try child().wait().errors
        #expect(Set(try found()) == asked)
        #expect(errors.components(separatedBy: "removed").count == 2, "\(errors)")
        #expect(errors.contains("2 stubs were removed from"), "\(errors)")
        #expect(errors.contains("GET \(server.url("/hang")), GET \(server.url("/stale"))."), "\(errors)")
    }

    @Test(arguments: 1...12)
    func `after a kill in the middle of any test the file has all old stubs`(test: Int) throws {
        try writeOldStubs()
        let child = try child(["STAYS": "1"])
        // Two answers in each test.
        #expect(child.answered(2 * test - test % 2).count >= 2 * test - test % 2)
        child.kill()
        let errors = try child.wait().errors
        #expect(Set(try found()).isSuperset(of: old))
        #expect(!errors.contains("removed"), "\(errors)")
    }

    @Test(arguments: ["_exit", "abort", "trap", "2", "9", "15"])
    func `a process that does not exit normally removes no stubs`(way: String) throws {
        try writeOldStubs()
        let errors = try child(["ENDS": way]).wait().errors
        #expect(Set(try found()) == Set(old))
        #expect(!errors.contains("removed"), "\(errors)")
    }

    @Test(arguments: ["exit", "status", "queue", "thread", "fork"])
    func `a process that exits in any way ends its run`(way: String) throws {
        try writeOldStubs()
        let errors = try child(["ENDS": way]).wait().errors
        #expect(directory.contents.filter { $0.hasSuffix(".journal") } == [])
        #expect(Set(try found()) == asked)
        #expect(!errors.contains("killed"), "\(errors)")
    }

    @Test(arguments: ["exit", "queue", "thread"], ["/hang", "/sse?events=3"])
    func `a run whose process exits while a request is running removes no stubs`(way: String, path: String) throws {
        try writeOldStubs()
        let errors = try child(["ENDS": way, "HANGS": server.url(path).absoluteString]).wait().errors
        #expect(directory.contents.filter { $0.hasSuffix(".journal") } == [])
        #expect(Set(try found()) == Set(old))
        #expect(!errors.contains("removed") && !errors.contains("killed"), "\(errors)")
    }

    @Test(arguments: [RecordMode.recording, .recordingMissing])
    func `a child that a fork has made does not end the run of its parent`(mode: RecordMode) throws {
        if mode == .recording { try writeOldStubs() }
        _ = try child(["FORKS": "1"], mode: mode).wait()
        let paths = try found()
        #expect(Set(paths) == asked)
        // Each test asks for the login.
        #expect(paths.count == 2 * count)
    }
}
