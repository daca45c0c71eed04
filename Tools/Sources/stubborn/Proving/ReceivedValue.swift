import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// A value that a stub gives to the client, with the changes that can be made to it.
struct ReceivedValue: Sendable {
    let path: [String]
    /// The unchanged value; for a list, the value of its first element.
    private(set) var example = ""
    /// The change as text, if it does not follow from the value.
    private(set) var note: String?
    private(set) var kinds: Set<ResponseChange.Kind> = []

    /// Returns the values of a stub's response, each before the values inside it.
    static func all(in stub: Stub) -> [ReceivedValue] {
        var values: [ReceivedValue] = []
        if let status = stub.response.head?.statusCode, stub.valueName == nil {
            values.append(ReceivedValue(path: [], example: "\(status)", kinds: [.status]))
            if status >= 400 {
                let note = "status \(status) → \(ResponseChange.failure(otherThan: status))"
                values.append(ReceivedValue(path: [], note: note, kinds: [.failure]))
            }
        }
        // A request that the client cancelled ends with its own error.
        if let code = stub.response.failure?.code, stub.valueName == nil, code != URLError.Code.cancelled.rawValue {
            let note = "error \(code) → \(ResponseChange.error(otherThan: code))"
            values.append(ReceivedValue(path: [], note: note, kinds: [.failure]))
        }
        if let body = stub.response.body, !body.isEmpty {
            if let json = JSONText(body) {
                var found = Found()
                found.add(json, at: [])
                values += found.values.filter { !$0.kinds.isEmpty }
            } else {
                values.append(ReceivedValue(path: [], kinds: [.body]))
                if let other = JSONText.body(otherThan: body) {
                    let isText = String(data: other, encoding: .utf8)?.contains("\0") == false
                    let note = isText ? "body with different text" : "body with a different byte"
                    values.append(ReceivedValue(path: [], note: note, kinds: [.value]))
                }
            }
        }
        for name in Set(stub.response.head?.headerFields.map { $0.name.lowercased() } ?? []).sorted() {
            let value = stub.response.head?.headerFields[name] ?? ""
            guard !fieldsOfTransport.includes(name), JSONText.other(than: value) != nil else { continue }
            values.append(ReceivedValue(path: ResponseChange.path(ofField: name), example: name, kinds: [.field]))
        }
        return values
    }

    /// The header fields that clients leave to the URL loading system, to caches and to browsers.
    private static let fieldsOfTransport = [
        "Access-Control-*", "Alt-Svc", "Cache-Control", "Connection", "Content-*", "Cross-Origin-*", "Keep-Alive",
        "NEL", "Permissions-Policy", "Pragma", "Referrer-Policy", "Set-Cookie", "Strict-Transport-Security",
        "Transfer-Encoding", "Vary", "X-Content-Type-Options", "X-Frame-Options", "X-Powered-By", "X-XSS-Protection",
    ].reduce(VolatileHeaderFields.standard) { $0.including($1) }

    private struct Found {
        var values: [ReceivedValue] = []
        private var indices: [[String]: Int] = [:]

        mutating func add(_ json: JSONText, at path: [String]) {
            let index = indices[path] ?? values.count
            if index == values.count {
                indices[path] = index
                values.append(ReceivedValue(path: path))
                if let last = path.last, last != ResponseChange.element { values[index].kinds = [.missing, .absent] }
            }
            switch json {
            case .scalar(let text):
                for kind in [ResponseChange.Kind.value, .far] where json.changed(kind) != nil {
                    values[index].kinds.insert(kind)
                    if values[index].example.isEmpty { values[index].example = text }
                }
            case .array(let elements):
                for kind in [ResponseChange.Kind.empty, .order, .first] where json.changed(kind) != nil {
                    values[index].kinds.insert(kind)
                }
                for element in elements { add(element, at: path + [ResponseChange.element]) }
            case .object(let members):
                for member in members { add(member.value, at: path + [member.name]) }
            }
        }
    }
}
