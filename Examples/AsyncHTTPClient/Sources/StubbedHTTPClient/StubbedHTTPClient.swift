import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import StubbornNetwork

/// The part of a client that an app needs: `HTTPClient` itself in the app, `StubbedHTTPClient` in its tests.
public protocol HTTPRequestExecutor: Sendable {
    /// Sends a request, and returns the response when its head has arrived.
    func execute(_ request: HTTPClientRequest, timeout: TimeAmount) async throws -> HTTPClientResponse
}

extension HTTPClient: HTTPRequestExecutor {
    /// Sends a request, and returns the response when its head has arrived.
    public func execute(_ request: HTTPClientRequest, timeout: TimeAmount) async throws -> HTTPClientResponse {
        try await execute(request, deadline: .now() + timeout)
    }
}

/// A client that answers with stubs, or calls the real server, depending on the network's mode.
///
/// Give it a client that decompresses bodies. If that client follows redirects, the stub contains the last response.
public struct StubbedHTTPClient: HTTPRequestExecutor {
    let network: StubbornNetwork
    let client: HTTPClient

    /// Creates a client for a network; `client` calls the real server.
    public init(_ network: StubbornNetwork, asking client: HTTPClient) {
        self.network = network
        self.client = client
    }

    /// Answers a request with a stub, or with the real server's response.
    public func execute(_ request: HTTPClientRequest, timeout: TimeAmount) async throws -> HTTPClientResponse {
        guard let url = URL(string: request.url) else { throw HTTPClientError.invalidURL }
        var body: Data?
        if let parts = request.body { for try await part in parts { body = (body ?? Data()) + Data(buffer: part) } }
        let stubRequest = StubRequest(
            method: request.method.rawValue,
            url: url,
            headers: HeaderFields(request.headers.map { .init(name: $0.name, value: $0.value) }),
            body: body
        )
        let response = try await network.streamedResponse(to: stubRequest) { stubRequest in
            var request = HTTPClientRequest(url: stubRequest.url.absoluteString)
            request.method = HTTPMethod(rawValue: stubRequest.method)
            request.headers = HTTPHeaders(stubRequest.headerFields.map { ($0.name, $0.value) })
            request.body = stubRequest.body.map { .bytes(ByteBuffer(data: $0)) }
            let response = try await client.execute(request, timeout: timeout)
            let head = ResponseHead(
                statusCode: Int(response.status.code),
                headers: HeaderFields(response.headers.map { .init(name: $0.name, value: $0.value) })
            )
            return StreamedResponse(head: head, parts: response.body.map { Data(buffer: $0) })
        }
        return HTTPClientResponse(
            status: HTTPResponseStatus(statusCode: response.head.statusCode),
            headers: HTTPHeaders(response.head.headerFields.map { ($0.name, $0.value) }),
            body: .stream(response.parts.map { ByteBuffer(data: $0) })
        )
    }
}
