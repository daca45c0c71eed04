import Foundation
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct WithoutNames: BodyDataProcessor {
    func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data? {
        guard request.url?.path == "/me" else { return data }
        return Data(#"{"name":"Ada"}"#.utf8)
    }
}

struct SecretsArticle {
    @Test func `one line changes what counts as a secret`() {
        let network = StubbornNetwork(.ephemeral)
        network.redaction = .standard.including(values: [ProcessInfo.processInfo.environment["API_KEY"]])

        network.redaction = .standard.including(headers: ["X-Session"], queryItems: ["sig"], jsonKeys: ["pin"])

        network.redaction = .standard.including(patterns: ["customer-([0-9]{8})"])

        network.redaction = .standard.excluding(.pinFields, .header("Cookie"))

        print(network.redactionReport)

        network.bodyDataProcessor = WithoutNames()

        #expect(network.redactionReport.description == "")
        #expect(network.bodyDataProcessor is WithoutNames)
    }
}
