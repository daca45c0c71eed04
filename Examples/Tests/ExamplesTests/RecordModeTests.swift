// The record modes, seen from outside: what STUB_RECORD_MODE makes of one and the same program, what the server gets to
// hear of it, and what is in the stub directory afterwards.

import ExampleServer
import StubbornNetwork
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RecordModeTests {
    private let directory = TemporaryDirectory()
    private var test: BytesUITest { BytesUITest(directory: directory) }
    private let success = BuiltProgram.Run(exitCode: 0, output: "417 bytes\n", error: "")

    @Test(arguments: ["recording", "recording-missing", "recording-once"])
    func `a recording is played back after the server has stopped`(mode: String) async throws {
        let server = try await ExampleServer.run { server in
            let run = try await test.download(from: server, mode: mode)
            #expect(run == success)
            return server
        }
        #expect(directory.contents == [test.fileName])
        #expect(try recordedPaths() == ["/417"])

        #expect(try await test.download(from: server) == success)
        #expect(await server.requestCount == 1)
    }

    @Test func `recording asks the server each time and removes stubs that were not requested`() async throws {
        try await ExampleServer.run { server in
            _ = try await test.download("books", from: server, mode: "recording")
            #expect(try recordedPaths() == ["/books"])
            let run = try await test.download(from: server, mode: "recording")
            #expect(run.output == success.output)
            #expect(run.error.contains("because no request of this run needed it: GET \(server.address("books"))"))
            #expect(try await test.download(from: server, mode: "recording") == success)
            #expect(await server.requestCount == 3)
        }
        #expect(try recordedPaths() == ["/417"])
    }

    @Test func `a recording without the server leaves the last one as it was`() async throws {
        try await ExampleServer.run { server in
            let recording = try await test.download(from: server, mode: "recording")
            #expect(recording == success)
        }
        let file = try directory.text(of: test.fileName)
        // Not the port of the server that has ended: another test may get it.
        let run = try await test.download(address: "http://127.0.0.1:1/417", mode: "recording")
        #expect(run.exitCode == 1)
        #expect(run.error.contains("Failed to connect") || run.error.contains("Could not connect"))
        #expect(try directory.text(of: test.fileName) == file)
    }

    @Test func `recording-missing asks the server for what is not there yet, and adds it`() async throws {
        try await ExampleServer.run { server in
            #expect(try await test.download(from: server, mode: "recording-missing") == success)
            #expect(try await test.download(from: server, mode: "recording-missing") == success)
            #expect(await server.requestCount == 1)
            _ = try await test.download("books", from: server, mode: "recording-missing")
            #expect(await server.requestCount == 2)
        }
        #expect(try recordedPaths() == ["/417", "/books"])
    }

    @Test func `recording-once records once and plays back from then on`() async throws {
        try await ExampleServer.run { server in
            #expect(try await test.download(from: server, mode: "recording-once") == success)
            #expect(try await test.download(from: server, mode: "recording-once") == success)
            #expect(await server.requestCount == 1)
            let run = try await test.download("books", from: server, mode: "recording-once")
            #expect(run.exitCode == 1)
            #expect(run.error.contains("No stub answers GET \(server.address("books")) (recording-once, "))
            #expect(await server.requestCount == 1)
        }
        #expect(try recordedPaths() == ["/417"])
    }

    @Test func `live asks the server and writes nothing`() async throws {
        try await ExampleServer.run { server in
            let run = try await test.download(from: server, mode: "live")
            #expect(run == success)
            #expect(await server.requestCount == 1)
        }
        #expect(directory.contents == [])
    }

    @Test func `a redirect is recorded hop by hop`() async throws {
        let server = try await ExampleServer.run { server in
            let run = try await test.download("newest", from: server, mode: "recording")
            #expect(run == .init(exitCode: 0, output: "87 bytes\n", error: ""))
            return server
        }
        #expect(try recordedPaths() == ["/newest", "/books"])
        #expect(try await test.download("newest", from: server).output == "87 bytes\n")
        #expect(await server.requestCount == 2)
    }

    @Test func `on continuous integration a run records where its environment says so`() async throws {
        try await ExampleServer.run { server in
            let run = try await test.download(from: server, mode: "recording", environment: ["CI": "true"])
            #expect(run == success)
        }
        #expect(try recordedPaths() == ["/417"])
    }

    @Test func `on continuous integration code that asks for recording gets playback`() async throws {
        let configuration = try #require(StubbornNetworkConfiguration.persistent(name: test.name, path: directory.path))
        let network = StubbornNetwork(configuration, environment: ["CI": "true"])
        network.onUnstubbedRequest = { _ in }
        network.recordMode = .recording
        #expect(network.recordMode == .playback)
        try await ExampleServer.run { server in
            await #expect(throws: (any Error).self) {
                try await network.session.data(from: server.url)
            }
            #expect(await server.requestCount == 0)
        }
        #expect(directory.contents == [])
    }

    /// The paths of the requests in the stub file, in their order.
    private func recordedPaths() throws -> [String] {
        struct RecordedStub: Decodable {
            struct Request: Decodable {
                var url: URL
            }

            var request: Request
        }
        let file = Data(try directory.text(of: test.fileName).utf8)
        return try JSONDecoder().decode([RecordedStub].self, from: file).map(\.request.url.path)
    }
}
