import Foundation
import Testing

@testable import StubbornNetwork

/// No secret of a request is in the messages about it, and what is said teaches the recording no wrong ones.
struct ReportSecretsTests {
    private static let secrets = [
        "s3cr3t-query-1", "s3cr3t-header-2", "s3cr3t-cookie-3", "s3cr3t-json-4", "s3cr3t-user-5",
    ]

    private static func request(_ path: String, page: Int) -> StubRequest {
        .make(
            "POST",
            "https://me:s3cr3t-user-5@a.test/\(path)?access_token=s3cr3t-query-1&page=\(page)",
            [
                "Authorization": "Bearer s3cr3t-header-2", "Cookie": "session=s3cr3t-cookie-3",
                "Content-Type": "application/json", "X-Page": "\(page)",
            ],
            body: #"{"password":"s3cr3t-json-4","page":\#(page),"token":{"secret":"s3cr3t-json-4"}}"#
        )
    }

    @Test(arguments: [
        RequestMatcherOptions.standard, .strict, .lenient, [.url, .headers(named: ["Authorization", "Cookie"])],
    ])
    func `no report holds a secret`(matchers: RequestMatcherOptions) throws {
        let scene = try ReportScene(.get("https://a.test/x?page=1"), .json(#"{"password":"REDACTED-password-1"}"#)) {
            network in
            network.requestMatcherOptions = matchers
            network.stub(.path("/x") && .header("Authorization", equals: "Bearer other"), with: .status(200))
            network.stub(.post("https://a.test/x?page=7") && !.header("Cookie"), with: .status(200))
            let pattern =
                RequestPattern.path("/x") && .requestBody(json: ["page": 9]) && .query("access_token", equals: "x")
            network.stub(pattern, with: .status(200))
            network.stub(Self.request("y", page: 1).urlRequest, times: 1, with: .status(200))
            network.stub(.path("/x") && .url(matching: "nothing") && .requestBody(text: "none"), with: .status(200))
        }
        let network = scene.network
        let texts = Lock<[String]>([])
        network.onUnstubbedRequest = { report in texts.withLock { $0 += [report.description, report.jsonString] } }
        for (path, page) in [("x", 1), ("y", 1), ("y", 1), ("y", 2), ("z", 3)] {
            do { _ = try network.response(to: Self.request(path, page: page).urlRequest) } catch let error
                as StubbornNetworkError
            {
                texts.withLock { $0 += [error.message, "\(error)", error.localizedDescription] }
            }
        }
        texts.withLock { $0 += network.unusedStubReports.map(\.description) }
        let said = texts.withLock { $0 }
        #expect(said.count > 10)
        for secret in Self.secrets { #expect(!said.contains { $0.contains(secret) }, "\(secret)") }
    }

    @Test func `no report holds a secret variable of a GraphQL operation`() throws {
        func login(_ password: String, _ pin: Int) -> StubRequest {
            .json(
                """
                {"query":"mutation Login { login { token } }","variables":{"input":{"accessToken":"s3cr3t-token-1"},\
                "password":"\(password)","pin":\(pin),"user":"ada"}}
                """
            )
        }
        let scene = try ReportScene(
            .json(#"{"query":"mutation Login { login { token } }","variables":{"user":"eve"}}"#)
        ) {
            $0.redaction = .standard.including(jsonKeys: ["pin"])
        }
        for request in [login("hunter2", 4711), login("s3cr3t-word", 572)] {
            let report = try scene.full(on: request)
            #expect(report.request.hasPrefix("POST https://a.example/ Login("))
            for text in [report.description, report.jsonString] {
                for secret in ["s3cr3t", "hunter2", "4711", "572"] { #expect(!text.contains(secret), "\(secret)") }
            }
        }
    }

    @Test func `a report does not turn ordinary words into secrets`() throws {
        let scene = try ReportScene(.make("GET", "https://a.test/x?token=a&page=1", ["Authorization": "Bearer a"])) {
            network in
            network.requestMatcherOptions = .strict
            network.stub(.path("/x") && .header("Authorization", equals: "no"), with: .status(200))
        }
        for page in 2...4 {
            let report = try scene.report(on: .make("GET", "https://a.test/x?page=\(page)"))
            #expect(report.contains(#"url.query.page: recorded "1", requested "\#(page)""#))
            #expect(report.contains("headers.Authorization: recorded "))
            #expect(report.contains("header Authorization: "))
            #expect(report.contains(": requested none"))
        }
    }
}
