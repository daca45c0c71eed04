import Foundation
import StubbornNetwork

/// Writes the responses of stubs as HTTP messages.
enum HTTPMessageExport {
    /// Returns the response as a message; `nil` for a stub that ends with an error.
    static func message(for response: StubResponse) throws -> Data? {
        guard let head = response.head, response.failure == nil else { return nil }
        let body = try response.body ?? Data()
        let reason =
            head.statusCode == 200 ? "OK" : HTTPURLResponse.localizedString(forStatusCode: head.statusCode).capitalized
        var lines = ["HTTP/1.1 \(head.statusCode) \(reason)"]
        for field in head.headerFields {
            switch field.name.lowercased() {
            // The body is not encoded.
            case "content-encoding" where field.value.lowercased() != "identity": continue
            case "transfer-encoding": continue
            case "content-length" where !body.isEmpty: lines.append("\(field.name): \(body.count)")
            default: lines.append("\(field.name): \(field.value)")
            }
        }
        return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    /// Returns a file name for the message of a stub: `003-GET-users-42.response`.
    static func fileName(for request: StubRequest, number: Int) -> String {
        let path = request.url.path.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)) ? Character(scalar) : "-"
        }
        let words = String(path).split(separator: "-").joined(separator: "-").prefix(80)
        return "\(String(format: "%03d", number))-\(request.method.filter(\.isLetter))"
            + (words.isEmpty ? "" : "-\(words)")
            + ".response"
    }
}
