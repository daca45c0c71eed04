import Foundation
import StubbornNetwork

/// The requests of a network in a file that is reviewed and committed: an array in the order in which they started.
///
///     [
///       {
///         "headers" : {
///           "Content-Type" : "application/json"
///         },
///         "json" : {
///           "name" : "Ada"
///         },
///         "method" : "POST",
///         "url" : "https://api.example.com/users"
///       }
///     ]
///
/// Two requests are equal if they have the same content. The order of JSON keys, form fields and query items, and the
/// spelling of numbers and escapes, are ignored.
struct RequestSnapshot: Equatable {
    struct Entry: Equatable {
        let url: String
        let method: String
        /// The header fields; fields of the same name are joined by commas.
        ///
        /// The values of volatile fields, and the fields that the platform sets, are left out.
        let headers: [String: String]
        let body: SnapshotBody?
    }

    /// A reason why a file is not a snapshot.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    var entries: [Entry]

    /// Creates the snapshot of requests, whose secrets are redacted, without the values of volatile header fields.
    init(_ requests: [StubRequest], without volatile: VolatileHeaderFields = .standard, inAnyOrder: Bool = false) {
        entries = requests.map { Entry($0, without: volatile) }
        guard inAnyOrder else { return }
        let sorted = entries.map { (entry: $0, key: "\($0.url)\n\($0.method)\n\($0.json.text(upTo: .max))") }
        entries = sorted.sorted { $0.key < $1.key }.map(\.entry)
    }

    /// Reads the requests of a snapshot file.
    ///
    /// - Throws: `Fault` for anything else.
    static func requests(in data: Data) throws(Fault) -> [StubRequest] {
        guard let value = JSONValue(data) else { throw Fault(description: "it is not JSON") }
        guard case .array(let elements) = value.content else { throw Fault(description: "it is not an array") }
        var requests: [StubRequest] = []
        for element in elements {
            do {
                requests.append(try StubRequest(inSnapshot: element))
            } catch {
                throw Fault(description: "request \(requests.count + 1) \(error)")
            }
        }
        return requests
    }

    /// The content of the file, keys sorted.
    var rendered: Data { JSONValue.array(entries.map(\.json)).indentedText }
}

extension RequestSnapshot.Entry {
    fileprivate init(_ request: StubRequest, without volatile: VolatileHeaderFields) {
        let request = request.without(volatile)
        url = request.comparableURL
        method = request.method
        headers = request.headerFields.combined
        body = SnapshotBody(request)
    }

    /// The method and the URL: `POST https://api.example.com/users`.
    var name: String { "\(method) \(url)" }

    var headersJSON: JSONValue { .object(headers.map { ($0.key, .string($0.value)) }) }

    /// The request as an object, empty parts left out.
    fileprivate var json: JSONValue {
        var members: [JSONValue.Member] = [("method", .string(method)), ("url", .string(url))]
        if !headers.isEmpty { members.append(("headers", headersJSON)) }
        if let body { members.append((body.kind.rawValue, body.value)) }
        return .object(members)
    }
}

extension StubRequest {
    /// Returns the request without the parts that differ between platforms and runs: the values of volatile header fields, the
    /// header fields that the platform or the transport sets, and the boundary of a multipart body.
    fileprivate func without(_ volatile: VolatileHeaderFields) -> StubRequest {
        var request = self
        let fields = headerFields.filter { field in
            !HeaderComparison.namesSetByPlatform.contains(field.name.lowercased())
                && !(field.name.lowercased() == "accept" && field.value == "*/*")
        }
        request.headerFields = HeaderFields(
            fields.map { .init(name: $0.name, value: volatile.contains($0.name) ? "(volatile)" : $0.value) }
        )
        let type = ContentType(headerFields["Content-Type"] ?? "")
        guard type.isMultipart, let boundary = type.boundary, !boundary.isEmpty else { return request }
        request.headerFields["Content-Type"] = headerFields["Content-Type"]?
            .replacingOccurrences(of: boundary, with: "boundary")
        // In this encoding each byte is a character.
        request.body = body.flatMap { String(data: $0, encoding: .isoLatin1) }?
            .replacingOccurrences(of: boundary, with: "boundary").data(using: .isoLatin1)
        return request
    }
}

extension StubRequest {
    /// Reads a request of a snapshot.
    ///
    /// - Throws: `RequestSnapshot.Fault` with the reason: `has no "url"`.
    fileprivate init(inSnapshot value: JSONValue) throws(RequestSnapshot.Fault) {
        guard case .object(let members) = value.content else { throw .init(description: "is not an object") }
        var texts: [String: String] = [:]
        var fields = HeaderFields()
        var body: Data?
        for (key, value) in members {
            switch (key, value.content) {
            case ("url", .string(let text)), ("method", .string(let text)): texts[key] = text
            case ("headers", .object(let headers)):
                for header in headers {
                    guard case .string(let text) = header.value.content else {
                        throw .init(description: "has a header field that is not text")
                    }
                    fields.append(name: header.key, value: text)
                }
            default:
                guard body == nil, let data = SnapshotBody.data(under: key, value) else {
                    throw .init(
                        description: "cannot have \(value.text(upTo: 40).cut(to: 40)) under \(key.quoted(upTo: 40))"
                    )
                }
                body = data
            }
        }
        guard let method = texts["method"] else { throw .init(description: "has no \"method\"") }
        guard let url = texts["url"].flatMap({ URL(string: $0) }) else { throw .init(description: "has no \"url\"") }
        self.init(method: method, url: url, headers: fields, body: body)
    }
}
