// The answers of the example server: a login, a list in pages, a POST that returns the created object, an image, events, a
// redirect, a download of 417 bytes, and a web socket with prices.

import FlyingFox
import FlyingSocks
import Foundation

enum Routes {
    static func response(to request: HTTPRequest) async throws -> HTTPResponse {
        switch (request.method, request.path) {
        case (.POST, "/login") where try await fields(of: request) == ["card": "2108-4711", "pin": "0815"]:
            json(#"{"accessToken":"\#(token)","expiresIn":3600}"#)
        case (.GET, "/books") where request.query["page"] == "2":
            json(#"{"books":[{"id":3,"title":"The Last Byte"}],"next":null}"#)
        case (.GET, "/books"):
            json(#"{"books":[{"id":1,"title":"The Stubborn Donkey"},{"id":2,"title":"Networks"}],"next":2}"#)
        case (.POST, "/books") where request.headers[.authorization] == "Bearer \(token)":
            json(#"{"id":4,"title":"\#(try await fields(of: request)["title"] ?? "")"}"#, .created)
        case (.POST, "/login"), (.POST, "/books"):
            HTTPResponse(statusCode: .unauthorized)
        case (.GET, "/books/1/cover.png"):
            HTTPResponse(statusCode: .ok, headers: [.contentType: "image/png"], body: cover)
        case (.GET, "/arrivals"):
            HTTPResponse(
                statusCode: .ok,
                headers: [.contentType: "text/event-stream"],
                body: HTTPBodySequence(from: Arrivals())
            )
        case (.GET, "/ticker"):
            try await WebSocketHTTPHandler(handler: MessageFrameWSHandler(handler: Ticker())).handleRequest(request)
        case (.GET, "/newest"):
            HTTPResponse(statusCode: .found, headers: [.location: "/books"], body: Data())
        case (.GET, "/417"):
            HTTPResponse(statusCode: .ok, headers: text, body: Data(repeating: UInt8(ascii: "."), count: 417))
        default:
            HTTPResponse(statusCode: .notFound)
        }
    }

    private static let token = "kV3xQ9sLw2"
    private static let text: HTTPHeaders = [.contentType: "text/plain; charset=utf-8"]

    /// An image of one pixel.
    private static let cover = Data(
        base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
            + "AABJRU5ErkJggg=="
    )!

    private static func fields(of request: HTTPRequest) async throws -> [String: String] {
        try JSONDecoder().decode([String: String].self, from: await request.bodyData)
    }

    private static func json(_ body: String, _ statusCode: HTTPStatusCode = .ok) -> HTTPResponse {
        HTTPResponse(statusCode: statusCode, headers: [.contentType: "application/json"], body: Data(body.utf8))
    }
}

/// Two events, and then silence.
private struct Arrivals: AsyncBufferedSequence {
    typealias Element = UInt8

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }

    struct AsyncIterator: AsyncBufferedIteratorProtocol {
        private var events = [#"{"id":5,"title":"Hot off the Press"}"#, #"{"id":6,"title":"Still Wet"}"#][...]

        mutating func next() async throws -> UInt8? { nil }

        mutating func nextBuffer(suggested count: Int) async throws -> Data? {
            guard let event = events.popFirst() else {
                try await Task.sleep(nanoseconds: .max)
                return nil
            }
            return Data("event: arrival\ndata: \(event)\n\n".utf8)
        }
    }
}

/// Answers each subscription with three prices.
private struct Ticker: WSMessageHandler {
    func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
        AsyncStream { server in
            let task = Task {
                for await case .text(let text) in client {
                    let subscription = try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))
                    for price in [181.25, 181.5, 181.75] {
                        server.yield(.text(#"{"symbol":"\#(subscription?["subscribe"] ?? "")","price":\#(price)}"#))
                    }
                }
                server.finish()
            }
            server.onTermination = { _ in task.cancel() }
        }
    }
}
