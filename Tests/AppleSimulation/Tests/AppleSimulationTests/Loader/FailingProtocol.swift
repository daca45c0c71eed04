import Foundation
import FoundationNetworking

/// A protocol class of somebody else, which takes every request.
final class FailingProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() { client?.urlProtocol(self, didFailWithError: URLError(.unknown)) }
    override func stopLoading() {}
}
