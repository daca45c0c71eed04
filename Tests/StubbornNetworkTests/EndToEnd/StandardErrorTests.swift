import Foundation
import Testing

@testable import StubbornNetwork

/// What a process without a handler says about unstubbed requests.
@Suite(.timeLimit(.minutes(2)))
struct StandardErrorTests {
    private let directory = TemporaryDirectory()

    private func errors(_ address: String, _ environment: [String: String] = [:]) throws -> String {
        let url = try #require(URL(string: address))
        let variables = ["STUB_NAME": "-[AppTests testStart]"].merging(environment) { $1 }
        let child = try ChildProcess(5, atATime: 1, of: url, environment: variables, directory: directory)
        #expect(child.answered() == [])
        return try child.wait().errors
    }

    @Test func `a request that fails repeatedly is reported once`() throws {
        #expect(
            try errors("https://api.test/start#") == """
                StubbornNetwork: No stub answers GET https://api.test/start#1 (playback, \
                \(directory.path)/AppTests_testStart.json): the stub file does not exist. The network was not touched.
                To record it:  STUB_RECORD_MODE=recording-missing STUB_NAME='-[AppTests testStart]' \
                STUB_PATH=\(directory.path) swift test --filter AppTests.testStart
                To declare it:  StubbornNetwork.standard.stub(.get("https://api.test/start"), with: .status(200))

                """
        )
    }

    @Test func `each different request is reported`() throws {
        let errors = try errors("https://api.test/start?n=")
        #expect(errors.components(separatedBy: "No stub answers ").count == 6)
    }

    @Test func `each different body that is sent to one URL is reported`() throws {
        let errors = try errors("https://api.test/graphql", ["POSTS": "1"])
        #expect(errors.components(separatedBy: "No stub answers POST https://api.test/graphql ").count == 6)
    }

    @Test func `a damaged journal that is kept aside is named`() throws {
        let scene = RecordingScene(name: "AppTests_testStart.json")
        let writer = try scene.writer()
        for (number, path) in ["a", "b", "c"].enumerated() {
            try writer.add(RecordingScene.recording(path, 200, replaces: false, number: number))
        }
        let killed = try scene.killed().directory
        let journal = try #require(killed.contents.first { $0.hasSuffix(".1.journal") })
        try killed.write(
            killed.text(of: journal).replacingOccurrences(of: "http://a/b", with: "http://a/x"),
            to: journal
        )
        let url = try #require(URL(string: "https://api.test/start"))
        let child = try ChildProcess(
            1,
            atATime: 1,
            of: url,
            environment: ["STUB_NAME": "-[AppTests testStart]"],
            directory: killed
        )
        #expect(child.answered() == [])
        let errors = try child.wait().errors
        let kept = try #require(killed.contents.first { $0.hasSuffix(".damaged.journal") })
        #expect(errors.contains("2 exchanges could be read") && errors.contains(kept))
        try writer.exit()
    }

    /// A pipe at a path, which the test has open.
    private func pipe(_ name: String, _ flags: CInt) throws -> (file: URL, descriptor: CInt) {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        let file = directory.file(name)
        #expect(mkfifo(file.path, 0o600) == 0)
        let descriptor = open(file.path, flags | O_NONBLOCK)
        try #require(descriptor >= 0)
        return (file, descriptor)
    }

    private func child(writingErrorsTo file: URL) throws -> ChildProcess {
        let url = try #require(URL(string: "https://api.test/start?n="))
        return try ChildProcess(
            5,
            atATime: 1,
            of: url,
            environment: ["STUB_NAME": "-[AppTests testStart]"],
            directory: directory,
            errors: file
        )
    }

    @Test func `a pipe that is full and that nobody reads does not hold the process`() throws {
        let (file, descriptor) = try pipe("full", O_RDWR)
        defer { close(descriptor) }
        while write(descriptor, [UInt8](repeating: 0x2E, count: 512), 512) > 0 {}
        #expect(try child(writingErrorsTo: file).waitForStatus() == 0)
    }

    @Test func `a pipe that has lost its reader does not end the process`() throws {
        let (file, descriptor) = try pipe("broken", O_RDONLY)
        let child = try child(writingErrorsTo: file)
        // The process has the pipe open when it says its first word.
        close(descriptor)
        #expect(child.answered() == [])
        #expect(child.waitForStatus() == 0)
    }
}
