import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import StubbornNetwork

/// A client for Vapor that answers with stubs, or calls the real server, depending on the network's mode.
///
/// In a test, before the first request:
///
///     let client = app.client
///     app.clients.use { _ in StubbedVaporClient(.current, asking: client) }
struct StubbedVaporClient: Client {
    let network: StubbornNetwork
    let client: any Client

    /// Creates a client for a network; `client` calls the real server.
    init(_ network: StubbornNetwork, asking client: any Client) {
        (self.network, self.client) = (network, client)
    }

    /// The event loop of the real client.
    var eventLoop: any EventLoop { client.eventLoop }

    /// Returns the same client on a different event loop.
    func delegating(to eventLoop: any EventLoop) -> any Client {
        StubbedVaporClient(network, asking: client.delegating(to: eventLoop))
    }

    /// Answers a request with a stub, or with the real server's response.
    func send(_ request: ClientRequest) -> EventLoopFuture<ClientResponse> {
        eventLoop.makeFutureWithTask {
            guard let url = URL(string: request.url.string) else { throw URLError(.badURL) }
            let stubRequest = StubRequest(
                method: request.method.rawValue,
                url: url,
                headers: HeaderFields(request.headers.map { .init(name: $0.name, value: $0.value) }),
                body: request.body.map { Data(buffer: $0) }
            )
            let response = try await network.response(to: stubRequest) { _ in
                let response = try await client.send(request).get()
                let head = ResponseHead(
                    statusCode: Int(response.status.code),
                    headers: HeaderFields(response.headers.map { .init(name: $0.name, value: $0.value) })
                )
                return StubResponse(head: head, body: response.body.map { Data(buffer: $0) })
            }
            let head = response.head ?? ResponseHead(statusCode: 200)
            return ClientResponse(
                status: HTTPResponseStatus(statusCode: head.statusCode),
                headers: HTTPHeaders(head.headerFields.map { ($0.name, $0.value) }),
                body: response.body.map { ByteBuffer(data: $0) }
            )
        }
    }
}
