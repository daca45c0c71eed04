// What the server of the examples says: a JSON list, a POST that is answered with what it created, a redirect, bytes that
// are no text, an error, a download of 417 bytes, and a login with what it is needed for.

import FlyingFox
import Foundation

package enum Routes {
    static func response(to request: HTTPRequest) async throws -> HTTPResponse {
        switch (request.method, request.path) {
        case (.GET, "/books"):
            json(#"[{"id":1,"title":"The Stubborn Donkey"},{"id":2,"title":"Networks"}]"#)
        case (.POST, "/books"):
            json(#"{"created":\#(String(decoding: try await request.bodyData, as: UTF8.self))}"#, .created)
        case (.GET, "/newest"):
            HTTPResponse(statusCode: .found, headers: [.location: "/books"], body: Data())
        case (.GET, "/cover.png"):
            HTTPResponse(statusCode: .ok, headers: [.contentType: "image/png"], body: Data(0...255))
        case (.GET, "/orders"):
            HTTPResponse(statusCode: .serviceUnavailable, headers: text, body: Data("Back soon.\n".utf8))
        case (.GET, "/417"):
            HTTPResponse(statusCode: .ok, headers: text, body: Data(repeating: UInt8(ascii: "."), count: 417))
        case (.POST, "/login"):
            json(#"{"accessToken":"\#(token)"}"#)
        case (.GET, "/loans") where request.headers[.authorization] == "Bearer \(token)":
            json(#"["The Stubborn Donkey"]"#)
        case (.GET, "/loans"):
            HTTPResponse(statusCode: .unauthorized)
        default:
            HTTPResponse(statusCode: .notFound)
        }
    }

    /// What a login is answered with.
    package static let token = "kV3xQ9sLw2"

    private static let text: HTTPHeaders = [.contentType: "text/plain; charset=utf-8"]

    private static func json(_ body: String, _ statusCode: HTTPStatusCode = .ok) -> HTTPResponse {
        HTTPResponse(statusCode: statusCode, headers: [.contentType: "application/json"], body: Data(body.utf8))
    }
}
