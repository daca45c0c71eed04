// The process-level way: a UI test starts the app with a few variables in its environment and looks at what it shows.
// Here the app is `bytes`, and the test that started it is called -[BytesUITests testDownload].

import ExampleServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ProcessLevelTests {
    @Test func `the committed recording answers, without a server`() async throws {
        let run = try await BuiltProgram.bytes.run(
            "https://api.example.com/417",
            environment: [
                "TESTING": "1",
                "STUB_NAME": "-[BytesUITests testDownload]",
                "STUB_PATH": CommittedStubs.path,
            ]
        )
        #expect(run == .init(exitCode: 0, output: "417 bytes\n", error: ""))
    }

    @Test func `the variable of older UI tests does the same as TESTING`() async throws {
        let run = try await BuiltProgram.bytes.run(
            "https://api.example.com/417",
            environment: [
                "THE_STUBBORN_NETWORK_UI_TESTING": "1",
                "STUB_NAME": "-[BytesUITests testDownload]",
                "STUB_PATH": CommittedStubs.path,
            ]
        )
        #expect(run == .init(exitCode: 0, output: "417 bytes\n", error: ""))
    }

    @Test func `a recorded error is played back as the error that it was`() async throws {
        let run = try await BuiltProgram.bytes.run(
            "https://api.example.com/417",
            environment: [
                "TESTING": "1",
                "STUB_NAME": "-[BytesUITests testOffline]",
                "STUB_PATH": CommittedStubs.path,
            ]
        )
        #expect(run == .init(exitCode: 1, output: "", error: "The Internet connection appears to be offline.\n"))
    }

    @Test func `an unrecorded request fails and names the closest stub`() async throws {
        let run = try await BuiltProgram.bytes.run(
            "https://api.example.com/418",
            environment: [
                "TESTING": "1",
                "STUB_NAME": "-[BytesUITests testDownload]",
                "STUB_PATH": CommittedStubs.path,
            ]
        )
        #expect(run.exitCode == 1)
        #expect(run.output == "")
        #expect(run.error.contains("No stub answers GET https://api.example.com/418 (playback, "))
        #expect(run.error.contains("Closest is stub 1, GET https://api.example.com/417:"))
        #expect(run.error.contains(#"url.path: recorded "/417", requested "/418""#))
    }

    @Test func `the same executable speaks to the real server when no variable is set`() async throws {
        let (run, requestCount) = try await ExampleServer.run { server in
            (try await BuiltProgram.bytes.run(server.address("417")), await server.requestCount)
        }
        #expect(run == .init(exitCode: 0, output: "417 bytes\n", error: ""))
        #expect(requestCount == 1)
    }

    @Test func `without a file to play back a test fails and leaves nothing behind`() async throws {
        let directory = TemporaryDirectory()
        let (run, requestCount) = try await ExampleServer.run { server in
            let test = BytesUITest(directory: directory)
            return (try await test.download(from: server), await server.requestCount)
        }
        #expect(run.exitCode == 1)
        #expect(run.error.contains("BytesUITests_testDownload.json"))
        #expect(run.error.contains("the stub file does not exist"))
        #expect(requestCount == 0)
        #expect(directory.contents == [])
    }
}
