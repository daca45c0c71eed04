import Foundation
import Testing

@testable import StubbornNetwork

/// Requests that carry a time, a nonce or a state of their own in each run.
struct SignedRequestTests {
    private static let (first, second) = ("k9Zx4Tq7Wm2Rb5Yp8", "b3Nf6Hs1Vc8Jd4Lg0")

    private static func request(_ path: String, _ body: String = "") -> StubRequest {
        StubRequest(
            method: body.isEmpty ? "GET" : "POST",
            url: URL(string: "https://api.example.com\(path)")!,
            headers: body.isEmpty ? [:] : ["Content-Type": "application/json"],
            body: body.isEmpty ? nil : Data(body.utf8)
        )
    }

    /// Returns the body of the stub that answers a request, of those recorded for others.
    private func answer(_ request: StubRequest, recorded: [StubRequest]) -> String? {
        answers([request], recorded: recorded)[0]
    }

    /// Returns the bodies of the stubs that answer requests, one after the other.
    private func answers(_ requests: [StubRequest], recorded: [StubRequest]) -> [String?] {
        let redactor = Redactor(.standard, environment: [:])
        let stubs = StubSource(file: nil)
        for (index, recorded) in recorded.enumerated() {
            let response = StubResponse(head: ResponseHead(statusCode: 200), body: Data("answer \(index + 1)".utf8))
            let stub = redactor.redact(Stub(request: recorded, response: response))
            stubs.recorded.withLock { $0.insert(stub, requestNumber: index) }
        }
        return requests.map { stubs.take(for: $0, by: PlaybackRules())?.body }
    }

    @Test(arguments: [
        (
            request("/o?X-Amz-Date=20240101T000000Z&X-Amz-Signature=\(first)"),
            request("/o?X-Amz-Date=20261121T180000Z&X-Amz-Signature=\(second)")
        ),
        (
            request("/authorize?client_id=a&state=\(first)&code_challenge=\(first)&nonce=\(first)"),
            request("/authorize?client_id=a&state=\(second)&code_challenge=\(second)&nonce=\(second)")
        ),
        (request("/v?timestamp=1700000000&nonce=\(first)"), request("/v?timestamp=1800000001&nonce=\(second)")),
        (
            request("/pay", #"{"timestamp":1700000000,"signature":"\#(first)","amount":5}"#),
            request("/pay", #"{"timestamp":1800000001,"signature":"\#(second)","amount":5}"#)
        ),
    ])
    func `the time and the nonce of a signature do not keep a request from its stub`(
        recorded: StubRequest,
        live: StubRequest
    ) {
        #expect(answer(live, recorded: [recorded]) == "answer 1")
    }

    @Test(arguments: [
        (request("/cities?state=CA"), request("/cities?state=NY")),
        (request("/price?timestamp=1700000000"), request("/price?timestamp=1800000001")),
        (
            request("/v?timestamp=1700000000&nonce=\(first)&id=1"),
            request("/v?timestamp=1700000000&nonce=\(second)&id=2")
        ),
    ])
    func `a request that differs in another value is unstubbed`(recorded: StubRequest, live: StubRequest) {
        #expect(answer(live, recorded: [recorded]) == nil)
    }

    @Test(arguments: ["sig", "X-Amz-Signature", "hmac"])
    func `a signature does not decide which of two stubs answers`(name: String) {
        func requests(_ values: (token: String, signature: String)...) -> [StubRequest] {
            values.map { Self.request("/v?token=\($0.token)&\(name)=\($0.signature)") }
        }
        let (third, one, two) = ("w5Qe7Xc2Mz9Vk4Ta6", "p3Gh8Kd1Ys6Rn0Bw4", "t7Jf2Lx9Cv5Ha3Zu1")
        let recorded = requests((Self.first, one), (Self.second, two), (third, one))
        // The second request has the signature of the first one, as the third stub has.
        let live = requests(("d2Rm6Wp9Tq4Xz8Ke1", "h5Vc3Bn7Js1Gy0Lf6"), ("m8Zt4Qa2Ux6Dk9Po3", "h5Vc3Bn7Js1Gy0Lf6"))
        #expect(answers(live, recorded: recorded) == ["answer 1", "answer 2"])
    }
}
