import Foundation
import StubbornNetwork

/// The floor: a `URLProtocol` that gives every request the same answer, and does nothing else.
final class ConstantAnswer: URLProtocol {
    static let body = Data(repeating: UInt8(ascii: "x"), count: 1_000)

    private static let response: URLResponse? = HTTPURLResponse(
        url: StubFile.url(of: 0),
        statusCode: 200,
        httpVersion: "HTTP/1.1",
        headerFields: ["Content-Type": "text/plain", "Content-Length": "\(body.count)"]
    )

    /// A session that it answers, without a URL cache.
    static func session() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.protocolClasses = [ConstantAnswer.self]
        return URLSession(configuration: configuration)
    }

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let response = Self.response else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Self.body)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
