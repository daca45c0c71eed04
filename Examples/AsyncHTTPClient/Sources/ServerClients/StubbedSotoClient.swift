import Foundation
import Logging
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import StubbornNetwork

/// A client for Soto that answers with stubs, or calls the real server, depending on the network's mode.
///
///     let client = AWSClient(httpClient: StubbedSotoClient(.current, asking: HTTPClient.shared))
///
/// Signatures and their times are recorded as placeholders, so a recording plays with any key.
struct StubbedSotoClient: AWSHTTPClient {
    let network: StubbornNetwork
    let client: any AWSHTTPClient

    /// Creates a client for a network; `client` calls the real server.
    init(_ network: StubbornNetwork, asking client: any AWSHTTPClient) {
        (self.network, self.client) = (network, client)
    }

    /// Answers a request with a stub, or with the real server's response.
    func execute(request: AWSHTTPRequest, timeout: TimeAmount, logger: Logger) async throws -> AWSHTTPResponse {
        let body = try await request.body.collect(upTo: .max)
        let stubRequest = StubRequest(
            method: request.method.rawValue,
            url: request.url,
            headers: HeaderFields(request.headers.map { .init(name: $0.name, value: $0.value) }),
            body: body.readableBytes == 0 ? nil : Data(buffer: body)
        )
        let response = try await network.response(to: stubRequest) { _ in
            var request = request
            request.body = AWSHTTPBody(buffer: body)
            let response = try await client.execute(request: request, timeout: timeout, logger: logger)
            let head = ResponseHead(
                statusCode: Int(response.status.code),
                headers: HeaderFields(response.headers.map { .init(name: $0.name, value: $0.value) })
            )
            return StubResponse(head: head, body: Data(buffer: try await response.body.collect(upTo: .max)))
        }
        let head = response.head ?? ResponseHead(statusCode: 200)
        return AWSHTTPResponse(
            status: HTTPResponseStatus(statusCode: head.statusCode),
            headers: HTTPHeaders(head.headerFields.map { ($0.name, $0.value) }),
            body: AWSHTTPBody(buffer: ByteBuffer(data: response.body ?? Data()))
        )
    }
}
