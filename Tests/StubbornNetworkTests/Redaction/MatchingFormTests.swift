import Foundation
import Testing

@testable import StubbornNetwork

struct MatchingFormTests {
    @Test(arguments: PlantedSecret.all)
    func `a live request and its redacted recording have the same matching form`(planted: PlantedSecret) {
        let redactor = Redactor(.standard, environment: [:])
        // Other secrets came before, under other names, so that numbers and labels differ from a first recording's.
        _ = redactor.redact(
            .answer(#"{"refresh_token":"\#(PlantedSecret.Values.plain)","otp":"\#(PlantedSecret.Values.hex)"}"#)
        )
        // What is only followed is known where it is recognised, which for a live request is the request itself.
        var live = planted.stub.request
        if planted.isFollowed { live.headerFields["X-Api-Key"] = planted.secret }
        let recorded = redactor.redact(Stub(request: live, response: planted.stub.response)).request
        let form = Redaction.standard.matchingForm(of: live)
        #expect(
            Redaction.standard.matchingForm(of: recorded) == form,
            "recorded \(RedactorTests.text(Stub(request: recorded, response: planted.stub.response)))"
        )
        #expect(Redaction.standard.matchingForm(of: form) == form)
    }

    @Test func `requests without secrets are compared as they are`() {
        let request = StubRequest(
            method: "POST",
            url: URL(string: "https://api.example.com/v1/items?page=2&sort=name#top")!,
            headerFields: [
                "Accept": "application/json", "Content-Type": "application/json", "User-Agent": "App/1.0 (Linux)",
            ],
            body: Data(#"{"name":"chair","price":19.90}"#.utf8)
        )
        #expect(Redaction.standard.matchingForm(of: request) == request)
    }

    @Test func `numbers of the same field are equal whatever their digits`() {
        func request(_ body: String) -> StubRequest {
            StubRequest(method: "POST", url: URL(string: "https://x.example/verify")!, body: Data(body.utf8))
        }
        let form = Redaction.standard.matchingForm(of: request(#"{"otp":482913}"#))
        #expect(form.body == Data(#"{"otp":9}"#.utf8))
        #expect(Redaction.standard.matchingForm(of: request(#"{"otp":999998}"#)) == form)
    }

    @Test func `secrets that code adds to the redaction are matched too`() {
        let redaction = Redaction.standard.including(
            headers: ["X-Session"],
            queryItems: ["shard"],
            jsonKeys: ["badge"],
            formFields: ["door"],
            patterns: ["room-(\\d+)"]
        )
        let live = StubRequest(
            url: URL(string: "https://x.example/room-4711?shard=alpha")!,
            headerFields: ["x-session": "beta"],
            body: Data(#"{"badge":"gamma"}"#.utf8)
        )
        let stub = Stub(request: live, response: StubResponse(head: ResponseHead(statusCode: 200)))
        let recorded = Redactor(redaction, environment: [:]).redact(stub).request
        #expect(recorded.url.absoluteString == "https://x.example/room-9999?shard=REDACTED-shard-1")
        #expect(recorded.headerFields["X-Session"] == "REDACTED-x_session-1")
        #expect(recorded.body == Data(#"{"badge":"REDACTED-badge-1"}"#.utf8))
        #expect(redaction.matchingForm(of: live) == redaction.matchingForm(of: recorded))
    }

    @Test func `a redactor recognises a secret from an earlier response in a URL`() {
        let redactor = Redactor(.standard, environment: [:])
        _ = redactor.redact(.answer(#"{"token":"abc123def456"}"#))
        let request = StubRequest(url: URL(string: "https://x.example/sessions/abc123def456")!)
        #expect(redactor.matchingForm(of: request).url.absoluteString == "https://x.example/sessions/REDACTED")
    }

    @Test func `a secret from the environment is redacted in the matching form`() {
        let redaction = Redaction.standard.knowing(environment: ["DEPLOY_TOKEN": "dep10y-value-xyz"])
        let request = StubRequest(url: URL(string: "https://x.example/dep10y-value-xyz")!)
        #expect(redaction.matchingForm(of: request).url.absoluteString == "https://x.example/REDACTED")
    }
}
