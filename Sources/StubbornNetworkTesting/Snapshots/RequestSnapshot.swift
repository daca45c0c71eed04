import Foundation
import StubbornNetwork

/// The requests of a network in a file that is reviewed and committed: an array in the order in which they started.
///
///     [
///       {
///         "body" : "{\"name\":\"Ada\"}",
///         "headers" : {
///           "Content-Type" : "application/json"
///         },
///         "method" : "POST",
///         "url" : "https://api.example.com/users"
///       }
///     ]
struct RequestSnapshot: Equatable {
    /// A request.
    ///
    /// Empty parts are left out.
    struct Entry: Codable, Equatable {
        var url: String
        var method: String
        /// The header fields, those of the same name joined by commas, without those that the platform sets.
        var headers: [String: String]?
        /// The body as text, or as base64 when it is not UTF-8.
        var body: String?
    }

    var entries: [Entry]

    init(_ requests: [StubRequest], inAnyOrder: Bool = false) {
        entries = requests.map(Entry.init)
        if inAnyOrder { entries.sort { $0.sortKey < $1.sortKey } }
    }

    init(parsing data: Data) throws {
        entries = try JSONDecoder().decode([Entry].self, from: data)
    }

    func rendered() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(entries) + Data("\n".utf8)
    }
}

extension RequestSnapshot.Entry {
    init(_ request: StubRequest) {
        let request = request.withoutVolatileParts
        url = request.url.absoluteString
        method = request.method
        var fields: [String: String] = [:]
        for field in request.headerFields {
            fields[field.name] = fields[field.name].map { "\($0), \(field.value)" } ?? field.value
        }
        headers = fields.isEmpty ? nil : fields
        guard let bytes = request.body, !bytes.isEmpty else { return }
        body = String(bytes: bytes, encoding: .utf8) ?? bytes.base64EncodedString()
    }

    /// The method and the URL: `POST https://api.example.com/users`.
    var name: String { "\(method) \(url)" }

    fileprivate var sortKey: String {
        let headers = (headers ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return ([url, method, body ?? ""] + headers).joined(separator: "\n")
    }
}
