import Foundation
import StubbornNetwork

/// The body of a request in a snapshot, in a form that a person can review.
struct SnapshotBody: Equatable {
    /// The form of a body, which is its key in the snapshot.
    ///
    /// A form is an object with a string, or an array of strings, for each name. Text of several lines is an array of
    /// lines. Any other body is data, in base64.
    enum Kind: String, CaseIterable { case json, form, text, data }

    let kind: Kind
    let value: JSONValue

    /// Reads the body of a request; `nil` when there is none.
    ///
    /// An object or an array is JSON whatever the content type says.
    init?(_ request: StubRequest) {
        guard let body = request.body, !body.isEmpty else { return nil }
        let type = request.headerFields.contentType
        let readable: (kind: Kind, value: JSONValue)? =
            switch BodyFormat(body, type: type).readableForm {
            case .json: JSONValue(body: body, of: type).map { (.json, $0) }
            case .form: Self.form(body).map { (.form, $0) }
            case .text: nil
            }
        if let readable {
            (kind, value) = readable
        } else if let lines = Self.lines(body) {
            (kind, value) = (.text, lines.count == 1 ? lines[0] : .array(lines))
        } else {
            (kind, value) = (.data, .string(body.base64EncodedString()))
        }
    }

    /// Returns the fields of a form; `nil` if they are not text, or none has a value.
    private static func form(_ body: Data) -> JSONValue? {
        guard body.contains(UInt8(ascii: "=")) else { return nil }
        var values: [String: [JSONValue]] = [:]
        for field in QueryItem.fields(ofForm: body) {
            let (name, value) = (PercentEncoding.decoded(field.name), PercentEncoding.decoded(field.value ?? ""))
            guard QueryItem.field(name: name, value: value) == field else { return nil }
            values[name, default: []].append(.string(value))
        }
        return .object(values.map { ($0.key, $0.value.count == 1 ? $0.value[0] : .array($0.value)) })
    }

    private static func lines(_ body: Data) -> [JSONValue]? {
        guard !body.contains(0), String(data: body, encoding: .utf8) != nil else { return nil }
        return body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { .string(String(decoding: $0, as: UTF8.self)) }
    }

    /// Returns the bytes of a body in a snapshot; `nil` if the value is not a body of this kind.
    ///
    /// Earlier snapshots contain text, including JSON, under `body`.
    static func data(under key: String, _ value: JSONValue) -> Data? {
        switch (Kind(rawValue: key), value.content) {
        case (.json, _): return value.indentedText
        case (.form, .object(let fields)):
            let items = fields.flatMap { name, value in
                value.texts.map { QueryItem.field(name: name, value: $0) }
            }
            return Data(items.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&").utf8)
        case (.text, .string(let text)): return Data(text.utf8)
        case (.text, .array): return Data(value.texts.joined(separator: "\n").utf8)
        case (.data, .string(let base64)): return Data(base64Encoded: base64)
        case (nil, .string(let text)) where key == "body": return Data(text.utf8)
        default: return nil
        }
    }

    /// The body on one line, for a message.
    var summary: String {
        switch kind {
        case .json, .form: value.text(upTo: 256).cut()
        case .text: value.texts.joined(separator: "\n").quoted()
        case .data: bytes.count.counting("byte")
        }
    }

    private var bytes: Data { Data(base64Encoded: value.texts.joined()) ?? Data() }

    /// Returns the differences from an expected body, one line each: of JSON by key path, of a form by field, of a text by
    /// line.
    func differences(from expected: SnapshotBody) -> [String] {
        switch (expected.kind, kind) {
        case (.json, .json): return value.differences(from: expected.value, in: "body")
        case (.form, .form): return value.differences(from: expected.value, in: "body.form")
        case (.text, .text) where expected.value.texts.count + value.texts.count > 2:
            let (old, new) = (expected.value.texts, value.texts)
            let lines = zip(old, new).enumerated().filter { $0.element.0 != $0.element.1 }.map { number, line in
                let shown = String.quoted(line.0, line.1)
                return "body line \(number + 1): expected \(shown.old), was \(shown.new)"
            }
            if old.count == new.count { return lines }
            // After the first differing line, all others are shifted.
            return lines.prefix(1) + ["body: expected \(old.count.counting("line")), was \(new.count)"]
        case (.text, .text):
            let shown = String.quoted(expected.value.texts.joined(), value.texts.joined())
            return ["body: expected \(shown.old), was \(shown.new)"]
        case (.data, .data):
            let (old, new) = (expected.bytes, bytes)
            let offset = zip(old, new).prefix { $0 == $1 }.count
            return ["body: expected \(expected.summary), was \(summary); first difference at byte \(offset)"]
        default: return ["body: expected \(expected.summary), was \(summary)"]
        }
    }
}

extension JSONValue {
    /// The string, or the strings of an array.
    fileprivate var texts: [String] {
        switch content {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(\.texts)
        default: []
        }
    }
}
