import Foundation
import StubbornNetwork
import Testing

/// Two users who log in and ask for something of their own, in a different order than they were recorded.
@Suite(.timeLimit(.minutes(5)))
struct LoginOrderTests {
    /// The way in which a request carries the token of its user.
    struct Carrier: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let request: @Sendable (String) -> StubRequest

        init(_ name: String, _ request: @escaping @Sendable (String) -> StubRequest) {
            (testDescription, self.request) = (name, request)
        }
    }

    private static func get(_ path: String, _ fields: HeaderFields = [:]) -> StubRequest {
        StubRequest(url: URL(string: "https://api.example.com\(path)")!, headers: fields)
    }

    private static func post(_ path: String, _ type: String, _ body: String) -> StubRequest {
        StubRequest(
            method: "POST",
            url: URL(string: "https://api.example.com\(path)")!,
            headers: ["Content-Type": type],
            body: Data(body.utf8)
        )
    }

    static let carriers = [
        Carrier("header") { get("/me", ["X-Api-Key": $0]) },
        Carrier("Bearer") { get("/me", ["Authorization": "Bearer \($0)"]) },
        Carrier("token scheme") { get("/me", ["Authorization": "token \($0)"]) },
        Carrier("Token parameter") { get("/me", ["Authorization": "Token token=\"\($0)\""]) },
        Carrier("Basic") { get("/me", ["Authorization": "Basic \(Data("user:\($0)".utf8).base64EncodedString())"]) },
        Carrier("Basic user") { get("/me", ["Authorization": "Basic \(Data("\($0):x".utf8).base64EncodedString())"]) },
        Carrier("cookie") { get("/me", ["Cookie": "lang=en; sid=\($0)"]) },
        Carrier("query") { get("/me?lang=en&access_token=\($0)") },
        Carrier("part of a query item") { get("/me?filter=owner:\($0),new") },
        Carrier("path segment") { get("/sessions/\($0)/me") },
        Carrier("part of a path segment") { get("/me/bot\($0)/posts") },
        Carrier("JSON member") { post("/me", "application/json", "{\"token\":\"\($0)\",\"lang\":\"en\"}") },
        Carrier("part of a JSON member") { post("/me", "application/json", "{\"command\":\"auth \($0) now\"}") },
        Carrier("form field") { post("/me", "application/x-www-form-urlencoded", "lang=en&token=\($0)") },
        Carrier("text") { post("/me", "text/plain", "AUTH \($0)\r\nPOSTS") },
    ]

    /// The form of the tokens.
    enum Form: CaseIterable {
        case letters, hexadecimal, uuid, prefixed, longPrefix, jsonWebToken, signed

        func token(_ user: User) -> String {
            var generator = Generator(seed: user == .ada ? 7 : 8)
            func random(_ count: Int, _ alphabet: String) -> String {
                String((0..<count).map { _ in alphabet.randomElement(using: &generator)! })
            }
            let letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"
            let digits = "0123456789abcdef"
            func part(_ text: String) -> String {
                Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
            }
            switch self {
            case .letters: return random(24, letters)
            case .hexadecimal: return random(32, digits)
            case .uuid: return [8, 4, 4, 4, 12].map { random($0, digits) }.joined(separator: "-")
            case .prefixed: return "gho_" + random(36, letters)
            case .longPrefix: return "sk_live_" + random(24, letters)
            case .jsonWebToken:
                return part(#"{"alg":"HS256"}"#) + "." + part(#"{"sub":"\#(user)"}"#) + "." + random(43, letters)
            case .signed: return random(24, letters) + "." + random(27, letters)
            }
        }
    }

    enum User { case ada, bob }

    enum Step {
        case login(User)
        case ask(User)

        var ofOtherUser: Step {
            switch self {
            case .login(let user): .login(user == .ada ? .bob : .ada)
            case .ask(let user): .ask(user == .ada ? .bob : .ada)
            }
        }
    }

    private static let oneAfterTheOther: [Step] = [
        .login(.ada), .ask(.ada), .ask(.ada), .login(.bob), .ask(.bob), .ask(.bob),
    ]
    private static let interleaved: [Step] = [
        .login(.ada), .login(.bob), .ask(.ada), .ask(.bob), .ask(.bob), .ask(.ada),
    ]
    private static let orders = [oneAfterTheOther, interleaved].flatMap { [$0, $0.map(\.ofOtherUser)] }

    private let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "users", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        return network
    }

    /// Takes the steps, and returns what each user is told.
    private func take(_ steps: [Step], _ carrier: Carrier, _ form: Form, on network: StubbornNetwork) async throws
        -> [User: [String]]
    {
        var tokens: [User: String] = [:]
        var answers: [User: [String]] = [:]
        for step in steps {
            switch step {
            case .login(let user):
                let credentials = "{\"user\":\"\(user)\",\"password\":\"pa55-\(user)\"}"
                let login = Self.post("/login", "application/json", credentials)
                let response = try await network.response(to: login) { _ in
                    .text("{\"token\":\"\(form.token(user))\"}", type: "application/json")
                }
                let json = try JSONSerialization.jsonObject(with: response.body ?? Data()) as? [String: String]
                tokens[user] = try #require(json?["token"])
            case .ask(let user):
                let number = answers[user, default: []].count + 1
                let response = try await network.response(to: carrier.request(try #require(tokens[user]))) { _ in
                    .text("\(user) \(number)", type: "text/plain")
                }
                answers[user, default: []].append(String(decoding: response.body ?? Data(), as: UTF8.self))
            }
        }
        return answers
    }

    @Test(arguments: carriers, Form.allCases)
    func `each user gets the answers of that user, in any order`(carrier: Carrier, form: Form) async throws {
        let expected: [User: [String]] = [.ada: ["ada 1", "ada 2"], .bob: ["bob 1", "bob 2"]]
        for recorded in [Self.oneAfterTheOther, Self.interleaved] {
            let recording = network(.recording)
            #expect(try await take(recorded, carrier, form, on: recording) == expected)
            try recording.finishRecording()
            let text = try directory.text(of: "users.json")
            #expect(!text.contains(form.token(.ada)) && !text.contains(form.token(.bob)))
            for order in Self.orders {
                #expect(try await take(order, carrier, form, on: network(.playback)) == expected, "\(order)\n\(text)")
            }
        }
    }
}

extension StubResponse {
    fileprivate static func text(_ text: String, type: String) -> StubResponse {
        StubResponse(head: ResponseHead(statusCode: 200, headers: ["Content-Type": type]), body: Data(text.utf8))
    }
}
