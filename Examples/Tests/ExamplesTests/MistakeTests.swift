// Mistakes that everyone makes once, and what a program says to them: which variable or which line of which file is
// wrong. Whatever the mistake, the server is not asked and no file is touched.

import ExampleServer
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MistakeTests {
    private let directory = TemporaryDirectory()
    private var test: BytesUITest { BytesUITest(directory: directory) }

    @Test func `an unknown record mode is refused, naming those that there are`() async throws {
        try await ExampleServer.run { server in
            let run = try await test.download(from: server, mode: "banana")
            #expect(run.exitCode == 1)
            #expect(run.output == "")
            #expect(run.error.contains(#"STUB_RECORD_MODE is "banana""#))
            #expect(run.error.contains("playback, recording, recording-missing, recording-once, live"))
            #expect(await server.requestCount == 0)
        }
        #expect(directory.contents == [])
    }

    @Test(arguments: [("STUB_PATH", "STUB_NAME"), ("STUB_NAME", "STUB_PATH")])
    func `a name without a directory, or the reverse, is refused`(missing: String, present: String) async throws {
        try await ExampleServer.run { server in
            let run = try await test.download(from: server, mode: "recording", environment: [missing: ""])
            #expect(run.exitCode == 1)
            #expect(run.output == "")
            #expect(run.error.contains("\(present) is set and \(missing) is not."))
            #expect(await server.requestCount == 0)
        }
        #expect(directory.contents == [])
    }

    @Test(arguments: ["playback", "recording", "recording-missing", "recording-once"])
    func `the error for a malformed stub file names the place, and the file is unchanged`(mode: String) async throws {
        let text = """
            [
              { "request" : banana }
            ]
            """
        try directory.write(text, to: test.fileName)
        try await ExampleServer.run { server in
            let run = try await test.download(from: server, mode: mode)
            #expect(run.exitCode == 1)
            #expect(run.output == "")
            #expect(run.error.contains("\(directory.path)/BytesUITests_testDownload.json:2:17"))
            #expect(await server.requestCount == 0)
        }
        #expect(try directory.text(of: test.fileName) == text)
        #expect(directory.contents == [test.fileName])
    }

    @Test func `a name that points elsewhere lands inside the stub directory`() async throws {
        let outer = TemporaryDirectory()
        let inner = outer.url.appendingPathComponent("a/b").path
        try await ExampleServer.run { server in
            let run = try await test.download(
                from: server,
                mode: "recording",
                environment: ["STUB_NAME": "../../etc/x", "STUB_PATH": inner]
            )
            #expect(run == .init(exitCode: 0, output: "417 bytes\n", error: ""))
        }
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: outer.path).sorted() == [
                "a", "a/b", "a/b/___.._etc_x_24bc7b25.json",
            ]
        )
    }

    @Test(arguments: ["nonsense", "ftp://api.example.com/417"])
    func `a URL that no stub can answer is refused`(address: String) async throws {
        let run = try await BuiltProgram.bytes.run(address, environment: ["TESTING": "1"])
        #expect(run.exitCode == 1)
        #expect(run.error.hasPrefix("The request for \"\(address)\" was refused: "))
    }
}
