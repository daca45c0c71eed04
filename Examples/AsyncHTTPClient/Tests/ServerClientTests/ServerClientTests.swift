import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import StubbornNetwork
import Testing

@testable import ServerClients

/// A server that is asked once for each call, through Vapor's protocol and through Soto's.
private final class Origin: Client, AWSHTTPClient {
    let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
    private let requests = RequestCount()
    var requestCount: Int { requests.value }

    func delegating(to eventLoop: any EventLoop) -> any Client { self }

    func send(_ request: ClientRequest) -> EventLoopFuture<ClientResponse> {
        requests.increment()
        let body = "\(request.method) \(request.url.string) " + (request.body.map { String(buffer: $0) } ?? "")
        return eventLoop.makeSucceededFuture(
            ClientResponse(status: .created, headers: ["X-Kind": "live"], body: ByteBuffer(string: body))
        )
    }

    func execute(request: AWSHTTPRequest, timeout: TimeAmount, logger: Logger) async throws -> AWSHTTPResponse {
        requests.increment()
        let body = try await request.body.collect(upTo: .max)
        return AWSHTTPResponse(
            status: .accepted,
            headers: ["Content-Type": "text/plain"],
            body: AWSHTTPBody(buffer: ByteBuffer(string: "stored \(body.readableBytes) bytes"))
        )
    }
}

/// A number that several threads count up.
private final class RequestCount: Sendable {
    private let count = NIOLockedValueBox(0)
    var value: Int { count.withLockedValue { $0 } }
    func increment() { count.withLockedValue { $0 += 1 } }
}

/// The adapters for Vapor and Soto, against hand-written declarations of what they adapt.
@Suite(.timeLimit(.minutes(5)))
struct ServerClientTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID())").path

    private func network(_ mode: RecordMode) throws -> StubbornNetwork {
        // A preview's networks are runs of their own: this process records and then plays.
        let environment = ["XCODE_RUNNING_FOR_PREVIEWS": "1"]
        let location = try #require(StubbornNetworkConfiguration.persistent(name: "server", path: directory))
        let network = StubbornNetwork(location, environment: environment)
        network.recordMode = mode
        return network
    }

    @Test func `Vapor's client is recorded, and played without the server`() async throws {
        let origin = Origin()
        var request = ClientRequest(method: .POST, url: URI(string: "https://api.example.com/orders?page=1"))
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = ByteBuffer(string: #"{"sku":"a"}"#)
        for mode in [RecordMode.recording, .playback] {
            let network = try network(mode)
            let client = StubbedVaporClient(network, asking: origin).delegating(to: origin.eventLoop)
            let response = try await client.send(request).get()
            #expect(response.status == .created)
            #expect(response.headers.first(name: "X-Kind") == "live")
            #expect(response.body.map { String(buffer: $0) }?.hasSuffix(#"orders?page=1 {"sku":"a"}"#) == true)
            if mode == .recording { try network.finishRecording() }
        }
        #expect(origin.requestCount == 1)
        let unstubbed = ClientRequest(url: URI(string: "https://api.example.com/none"))
        let playing = StubbedVaporClient(try network(.playback), asking: origin)
        await #expect(throws: StubbornNetworkError.self) { try await playing.send(unstubbed).get() }
        #expect(origin.requestCount == 1)
    }

    @Test func `Soto's client is recorded, and played with another signature`() async throws {
        let origin = Origin()
        for (mode, time) in [(RecordMode.recording, "20261122T150000Z"), (.playback, "20261123T090000Z")] {
            let network = try network(mode)
            let client = StubbedSotoClient(network, asking: origin)
            let request = AWSHTTPRequest(
                url: try #require(URL(string: "https://bucket.s3.amazonaws.com/photo.jpg")),
                method: .PUT,
                headers: [
                    "X-Amz-Date": time,
                    "Authorization": "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/\(time), Signature=\(time)",
                ],
                body: AWSHTTPBody(buffer: ByteBuffer(string: "pixels"))
            )
            let response = try await client.execute(
                request: request,
                timeout: .seconds(5),
                logger: Logger(label: "test")
            )
            #expect(response.status == .accepted)
            #expect(try await String(buffer: response.body.collect(upTo: 1 << 20)) == "stored 6 bytes")
            if mode == .recording { try network.finishRecording() }
        }
        #expect(origin.requestCount == 1)
    }
}
