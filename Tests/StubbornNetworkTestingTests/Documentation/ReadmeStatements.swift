import Foundation
import StubbornNetwork
import Testing

/// The README's statements, as they stand there, and what they do.
struct ReadmeStatements {
    @Test func `declared stubs answer`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.get("https://api.example.com/users/42"), with: .json(["id": 42]))
        network.stub(.host("api.example.com") && .path("/login") && .method("POST"), with: .status(401))
        network.stub(.path("/clock")) { request in .text("12:00") }
        let client = UserClient(session: network.session)

        await #expect(throws: DecodingError.self) { try await client.name(of: 42) }
        let clock = try await client.session.data(from: URL(string: "https://api.example.com/clock")!).0
        #expect(String(decoding: clock, as: UTF8.self) == "12:00")
        var login = URLRequest(url: URL(string: "https://api.example.com/login")!)
        login.httpMethod = "POST"
        #expect((try await client.session.data(for: login).1 as? HTTPURLResponse)?.statusCode == 401)
    }

    @Test func `the shared session is intercepted`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.get("https://api.example.com/users/42"), with: .json(["name": "Ada"]))

        let name = try await network.interceptingSharedSession {
            try await UserClient(session: .shared).name(of: 42)
        }

        #expect(name == "Ada")
    }

    @Test func `a process asks its environment`() {
        let session = ProcessInfo.processInfo.testing ? StubbornNetwork.standard.session : URLSession.shared

        #expect(ProcessInfo.processInfo.testing || session === URLSession.shared)
    }

    @Test func `a test sets the environment of a process`() {
        let stubDirectory = URL(fileURLWithPath: "/stubs")
        let tool = Process()
        tool.environment = [
            "TESTING": "1",
            "STUB_NAME": "-[ToolTests testDownload]",
            "STUB_PATH": stubDirectory.path,
        ]

        #expect(tool.environment?.count == 3)
    }

    @Test func `a preview plays back`() async throws {
        let projectDirectory = URL(fileURLWithPath: "\(#filePath)").deletingLastPathComponent().path
        let previewSession = StubbornNetwork.stubbed(
            withConfiguration: .persistent(name: "ContentView_Previews", path: "\(projectDirectory)/Stubs")!
        ) { network in
            network.recordMode = .playback
        }

        #expect(try await UserClient(session: previewSession).name(of: 42) == "Ada")
    }

    @Test func `matchers, order and redaction are set in a line`() {
        let network = StubbornNetwork(.ephemeral)
        network.requestMatcherOptions = RequestMatcherOptions([
            .httpMethod, .url(ignoringQueryItems: ["page"]), .requestBody(ignoringJSONKeys: ["meta.sentAt"]),
        ])
        network.playbackOrder = .sequence
        network.redaction = .standard.including(headers: ["X-Session"], queryItems: ["sig"], jsonKeys: ["pin"])

        #expect(network.requestMatcherOptions.matchers.count == 3)
        #expect(network.playbackOrder == .sequence)
    }
}
