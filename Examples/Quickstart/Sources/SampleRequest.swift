// The requests of the quickstart, made with nothing but URLSession: a list, a POST, a redirect, an image and an error.
// This file also contains the server's responses to them.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct SampleRequest: Sendable {
    /// Method and path, as `GET /books`.
    var name: String
    private var request: URLRequest

    private init(_ method: String, _ path: String, to server: URL, body: String? = nil) {
        name = "\(method) /\(path)"
        request = URLRequest(url: server.appendingPathComponent(path))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    }

    static func all(to server: URL) -> [SampleRequest] {
        [
            SampleRequest("GET", "books", to: server),
            SampleRequest("POST", "books", to: server, body: #"{"title":"Playback"}"#),
            SampleRequest("GET", "newest", to: server),
            SampleRequest("GET", "cover.png", to: server),
            SampleRequest("GET", "orders", to: server),
        ]
    }

    /// Returns the server's response to a method and path, and a body.
    @Sendable static func response(to name: String, body: Data) -> Response {
        switch name {
        case "GET /books":
            Response(body: Data(#"[{"id":1,"title":"The Stubborn Donkey"},{"id":2,"title":"Networks"}]"#.utf8))
        case "POST /books":
            Response(status: "201 Created", body: Data(#"{"created":"#.utf8) + body + Data("}".utf8))
        case "GET /newest":
            Response(status: "302 Found", header: "Location: /books")
        case "GET /cover.png":
            Response(header: "Content-Type: image/png", body: Data(0...255))
        default:
            Response(
                status: "503 Service Unavailable",
                header: "Content-Type: text/plain",
                body: Data("Back soon.\n".utf8)
            )
        }
    }

    func send(through session: URLSession) async throws -> Answer {
        let (body, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return Answer(statusCode: response.statusCode, url: response.url, mimeType: response.mimeType, body: body)
    }
}

/// The part of a response that an app sees.
struct Answer: Sendable, Equatable {
    var statusCode: Int
    /// The URL that finally answered, which a redirect changes.
    var url: URL?
    var mimeType: String?
    var body: Data
}
