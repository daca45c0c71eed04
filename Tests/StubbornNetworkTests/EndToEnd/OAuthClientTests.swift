import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// A client of OAuth, whose verifiers, states, nonces and times are others in each run.
@Suite(.timeLimit(.minutes(5)))
struct OAuthClientTests {
    let directory = TemporaryDirectory()

    /// Returns random text as providers and clients make it: base64url.
    private static func random(_ byteCount: Int = 32) -> String {
        Data((0..<byteCount).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    private static func hex(_ byteCount: Int) -> String {
        (0..<byteCount).map { _ in String(UInt8.random(in: 16...255), radix: 16) }.joined()
    }

    private static func form(_ body: Data) -> [String: String] {
        let items = URLComponents(string: "?" + String(decoding: body, as: UTF8.self))?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    /// Returns what a provider of identities answers.
    private static func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
        let form = form(request.body)
        let number = request.nextNumber(for: request.path + (form["grant_type"] ?? ""))
        let tokens = #"{"access_token":"\#(random())","refresh_token":"\#(random())","token_type":"Bearer"}"#
        switch (request.path, form["grant_type"]) {
        case ("/authorize", _):
            let location = "com.example.app:/cb?code=\(random())&state=\(request.query("state") ?? "")"
            return .json(#"{"location":"\#(location)","nonce":"\#(request.query("nonce") ?? "")"}"#)
        case ("/token", "device_code"):
            return number == 1 ? .json(#"{"error":"authorization_pending"}"#, status: 400) : .json(tokens)
        case ("/token", _): return .json(tokens)
        case ("/device", _): return .json(#"{"device_code":"\#(random())","user_code":"WDJB-MJHT","interval":5}"#)
        case ("/me", _): return .json(#"{"name":"ada","visit":\#(number)}"#)
        default: return .text("object")
        }
    }

    /// Returns the steps that a run of the client makes, and what came of them.
    private func run(_ network: StubbornNetwork, _ server: URL) async throws -> [String: String] {
        let session = network.session
        func ask(_ path: String, form: [String: String] = [:], token: String? = nil) async throws -> [String: Any] {
            var request = URLRequest(url: URL(string: path, relativeTo: server)!.absoluteURL)
            if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
            if !form.isEmpty {
                request.httpMethod = "POST"
                request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
                // The order differs from run to run.
                request.httpBody = Data(form.map { "\($0)=\($1)" }.joined(separator: "&").utf8)
            }
            let (data, response) = try await session.data(for: request)
            var object = (try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:]
            object["status"] = (response as? HTTPURLResponse)?.statusCode
            object["text"] = String(decoding: data, as: UTF8.self)
            return object
        }
        var steps: [String: String] = [:]
        let (state, nonce, verifier) = (Self.random(16), Self.random(16), Self.random())
        let redirect = try await ask(
            "/authorize?response_type=code&client_id=app&redirect_uri=com.example.app%3A%2Fcb&state=\(state)"
                + "&nonce=\(nonce)&code_challenge=\(Self.random())&code_challenge_method=S256"
        )
        let items = URLComponents(string: redirect["location"] as? String ?? "")?.queryItems ?? []
        let code = items.first { $0.name == "code" }?.value ?? ""
        steps["state"] = items.first { $0.name == "state" }?.value == state ? "comes back" : "differs"
        steps["nonce"] = redirect["nonce"] as? String == nonce ? "comes back" : "differs"
        var tokens = try await ask(
            "/token",
            form: ["grant_type": "authorization_code", "code": code, "code_verifier": verifier, "client_id": "app"]
        )
        for number in 1...2 {
            let token = tokens["access_token"] as? String ?? ""
            steps["token \(number)"] = token.count >= 40 ? "given" : "missing"
            steps["visit \(number)"] = "\(try await ask("/me", token: token)["visit"] ?? "none")"
            let refresh = tokens["refresh_token"] as? String ?? ""
            tokens = try await ask("/token", form: ["grant_type": "refresh_token", "refresh_token": refresh])
            steps["refresh \(number)"] = tokens["refresh_token"] as? String == refresh ? "same" : "new"
        }
        let device = try await ask("/device", form: ["client_id": "app", "scope": "read"])
        let poll = ["grant_type": "device_code", "device_code": device["device_code"] as? String ?? ""]
        for number in 1...2 {
            let answer = try await ask("/token", form: poll)
            steps["poll \(number)"] = "\(answer["status"] ?? "") \(answer["error"] ?? "")"
        }
        let time = Int.random(in: 100_000...235_959)
        let object = try await ask(
            "/object?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA\(Self.hex(8).uppercased())%2F20260101%2Faws4"
                + "&X-Amz-Date=20260101T\(time)Z&X-Amz-Expires=300&X-Amz-Signature=\(Self.hex(32))"
        )
        steps["signed"] = object["text"] as? String
        return steps
    }

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "oauth", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        return network
    }

    @Test func `every step of a login with new random values is played back as it was recorded`() async throws {
        let server = try LoopbackServer { Self.answer($0) }
        let url = server.url("/")
        let steps = [
            "state": "comes back", "nonce": "comes back", "token 1": "given", "token 2": "given", "visit 1": "1",
            "visit 2": "2", "refresh 1": "new", "refresh 2": "new", "poll 1": "400 authorization_pending",
            "poll 2": "200 ", "signed": "object",
        ]
        let recording = network(.recording)
        #expect(try await run(recording, url) == steps)
        try recording.finishRecording()
        server.stop()
        for _ in 1...3 {
            let playing = network(.playback)
            #expect(try await run(playing, url) == steps)
            #expect(playing.unstubbedRequests.isEmpty)
            #expect(playing.unusedStubs.isEmpty)
        }
    }
}
