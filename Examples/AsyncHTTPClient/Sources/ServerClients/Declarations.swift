// The parts of Vapor 4 and Soto 7 that the adapters in this folder use, declared by hand, because neither library is built here. An
// app imports `Vapor` or `SotoCore` in place of this file.
import Foundation
import Logging
import NIOCore
import NIOHTTP1

// MARK: Vapor 4

protocol Client: Sendable {
    var eventLoop: any EventLoop { get }
    func delegating(to eventLoop: any EventLoop) -> any Client
    func send(_ request: ClientRequest) -> EventLoopFuture<ClientResponse>
}

struct URI: Sendable {
    var string: String
    init(string: String) { self.string = string }
}

struct ClientRequest: Sendable {
    var method: HTTPMethod
    var url: URI
    var headers: HTTPHeaders
    var body: ByteBuffer?

    init(method: HTTPMethod = .GET, url: URI, headers: HTTPHeaders = [:], body: ByteBuffer? = nil) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }
}

struct ClientResponse: Sendable {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders
    var body: ByteBuffer?

    init(status: HTTPResponseStatus = .ok, headers: HTTPHeaders = [:], body: ByteBuffer? = nil) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

// MARK: Soto 7

protocol AWSHTTPClient: Sendable {
    func execute(request: AWSHTTPRequest, timeout: TimeAmount, logger: Logger) async throws -> AWSHTTPResponse
}

struct AWSHTTPRequest: Sendable {
    var url: URL
    let method: HTTPMethod
    var headers: HTTPHeaders
    var body: AWSHTTPBody

    init(url: URL, method: HTTPMethod, headers: HTTPHeaders, body: AWSHTTPBody) {
        (self.url, self.method, self.headers, self.body) = (url, method, headers, body)
    }
}

struct AWSHTTPResponse: Sendable {
    let status: HTTPResponseStatus
    var headers: HTTPHeaders
    var body: AWSHTTPBody

    init(status: HTTPResponseStatus, headers: HTTPHeaders, body: AWSHTTPBody = AWSHTTPBody()) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

struct AWSHTTPBody: Sendable {
    private let buffer: ByteBuffer

    init(buffer: ByteBuffer = ByteBuffer()) { self.buffer = buffer }

    func collect(upTo length: Int) async throws -> ByteBuffer { buffer }
}
