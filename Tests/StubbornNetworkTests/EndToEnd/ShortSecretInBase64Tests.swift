import Foundation
import StubbornNetwork
import Testing

/// A secret of a few digits inside JSON in base64 inside JSON, as payment services take it.
struct ShortSecretInBase64Tests {
    @Test(arguments: ["412", "999", "5551"], ["999008881", "120045"])
    func aRecordingPlaysWithTheSameSecretAndAnother(code: String, shop: String) async throws {
        let directory = TemporaryDirectory()
        for (mode, code) in [(RecordMode.recording, code), (.playback, code), (.playback, "823")] {
            let network = try StubbornNetwork(
                #require(.persistent(name: "a", path: directory.path)),
                environment: .newRun
            )
            network.recordMode = mode
            let response = try await network.response(to: payment(code: code, shop: shop)) { _ in
                StubResponse(head: ResponseHead(statusCode: 200), body: Data("paid".utf8))
            }
            #expect(response.body == Data("paid".utf8))
            try network.finishRecording()
        }
    }

    private func payment(code: String, shop: String) throws -> StubRequest {
        let order = #"{"amount":"145","shop":"\#(shop)","pan":"4548545445947111","cvv":"\#(code)"}"#
        let body = #"{"version":"1","parameters":"\#(Data(order.utf8).base64EncodedString())"}"#
        return StubRequest(
            method: "POST",
            url: try #require(URL(string: "http://pay.test/orders")),
            headers: ["Content-Type": "application/json"],
            body: Data(body.utf8)
        )
    }
}
