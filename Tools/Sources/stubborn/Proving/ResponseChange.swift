import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// A change of what a stub gives to the client: one value, or the same member of all elements of a list.
struct ResponseChange: Hashable, Codable, Sendable {
    enum Kind: String, Codable, Sendable {
        /// A number, a text or a truth value becomes another one that looks like it.
        case value
        /// A number becomes zero, and a sentence another one: a change that also a loose comparison notices.
        case far
        /// A list is in the opposite order.
        case order
        /// A list has no elements.
        case empty
        /// A member of an object is missing.
        case missing
        /// The status code is another one.
        case status
        /// A body that is not JSON is empty.
        case body
    }

    /// The path of the stub file.
    let file: String
    /// The position of the stub in its file, from 1.
    let stub: Int
    /// The keys on the way to the value, `[]` for each element of a list; none for the whole response.
    let path: [String]
    let kind: Kind

    /// The key that stands for each element of a list.
    static let element = "[]"

    /// Returns the status code that takes the place of another one: a failure for a success.
    static func status(otherThan code: Int) -> Int { code < 400 ? 500 : 200 }

    /// Returns a key path as text: `users[].name`.
    static func keyPath(_ path: [String]) -> String {
        path.reduce(into: "") { text, key in
            let isPlain = key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == "$" }
            if key == element {
                text += key
            } else if isPlain, !key.isEmpty {
                text += text.isEmpty ? key : ".\(key)"
            } else {
                text += "[\(JSONText.text(of: key))]"
            }
        }
    }
}

/// A value that a stub gives to the client, with the changes that can be made to it.
struct ReceivedValue: Sendable {
    let path: [String]
    /// The value as it is, and as it is after a change of it; of a list, the first element's.
    private(set) var example = ""
    private(set) var kinds: Set<ResponseChange.Kind> = []

    /// Returns the values of a stub's response, each before those inside it.
    static func all(in stub: Stub) -> [ReceivedValue] {
        var values: [ReceivedValue] = []
        if let status = stub.response.head?.statusCode, stub.valueName == nil {
            values.append(ReceivedValue(path: [], example: "\(status)", kinds: [.status]))
        }
        guard let body = try? stub.response.body, !body.isEmpty else { return values }
        guard let json = JSONText(body) else {
            values.append(ReceivedValue(path: [], example: "\(ByteCount(body.count))", kinds: [.body]))
            return values
        }
        var found = Found()
        found.add(json, at: [])
        return values + found.values.filter { !$0.kinds.isEmpty }
    }

    private struct Found {
        var values: [ReceivedValue] = []
        private var indices: [[String]: Int] = [:]

        mutating func add(_ json: JSONText, at path: [String]) {
            let index = indices[path] ?? values.count
            if index == values.count {
                indices[path] = index
                values.append(ReceivedValue(path: path))
                if let last = path.last, last != ResponseChange.element { values[index].kinds = [.missing] }
            }
            switch json {
            case .scalar(let text):
                for kind in [ResponseChange.Kind.value, .far] where json.changed(kind) != nil {
                    values[index].kinds.insert(kind)
                    if values[index].example.isEmpty { values[index].example = text }
                }
            case .array(let elements):
                if !elements.isEmpty { values[index].kinds.insert(.empty) }
                if json.changed(.order) != nil { values[index].kinds.insert(.order) }
                for element in elements { add(element, at: path + [ResponseChange.element]) }
            case .object(let members):
                for member in members { add(member.value, at: path + [member.name]) }
            }
        }
    }
}

/// Changes of one JSON text, by the keys on the way to them.
struct ChangeTree {
    private var kinds: Set<ResponseChange.Kind> = []
    private var children: [String: ChangeTree] = [:]
    /// The number of elements that lists keep.
    private var length: Int?

    mutating func add(_ kind: ResponseChange.Kind, at path: ArraySlice<String>) {
        guard let key = path.first else { return _ = kinds.insert(kind) }
        children[key, default: ChangeTree()].add(kind, at: path.dropFirst())
    }

    /// Shortens the lists at a path.
    mutating func shorten(to length: Int, at path: ArraySlice<String>) {
        guard let key = path.first else { return self.length = length }
        children[key, default: ChangeTree()].shorten(to: length, at: path.dropFirst())
    }

    /// Returns a body with the changes; one that is not JSON, and one without changes, as it is.
    func changed(_ body: Data) -> Data {
        if kinds.isEmpty, children.isEmpty, length == nil { return body }
        return JSONText(body).flatMap(changed).map { Data($0.text.utf8) } ?? body
    }

    /// Returns the changed text; `nil` for a member that is missing.
    func changed(_ json: JSONText) -> JSONText? {
        if kinds.contains(.missing) { return nil }
        var json = json
        switch json {
        case .scalar: break
        case .array(var elements):
            if let length { elements = Array(elements.prefix(length)) }
            if let child = children[ResponseChange.element] { elements = elements.compactMap(child.changed) }
            json = .array(elements)
        case .object(let members) where !children.isEmpty:
            json = .object(
                members.compactMap { member in
                    guard let child = children[member.name] else { return member }
                    return child.changed(member.value).map { JSONText.Member(key: member.key, value: $0) }
                }
            )
        case .object: break
        }
        return kinds.reduce(json) { $0.changed($1) ?? $0 }
    }
}

extension JSONText.Member {
    /// The key without its escapes.
    var name: String { JSONText.scalar(key).string ?? key }
}

extension JSONText {
    /// Returns a text as JSON, with its quotation marks.
    static func text(of string: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(string)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }

    /// The text of a string without its escapes; `nil` for another value.
    fileprivate var string: String? {
        guard case .scalar(let text) = self, text.hasPrefix("\"") else { return nil }
        if !text.contains("\\") { return String(text.dropFirst().dropLast()) }
        guard case .string(let string)? = try? JSONContent(Data(text.utf8)) else { return nil }
        return string
    }

    /// Returns the value with a change of a kind; `nil` where there is none.
    ///
    /// The placeholder of a secret stays: it stands for any value.
    func changed(_ kind: ResponseChange.Kind) -> JSONText? {
        switch (self, kind) {
        case (.scalar(let text), .value):
            if let string { return Self.other(than: string).map { .scalar(Self.text(of: $0)) } }
            switch text {
            case "true": return .scalar("false")
            case "false": return .scalar("true")
            case "null": return nil
            default:
                let mantissa = text.prefix { $0 != "e" && $0 != "E" }
                return Self.digitsChanged(in: String(mantissa), isNumber: true).map {
                    .scalar($0 + text.dropFirst(mantissa.count))
                }
            }
        case (.scalar(let text), .far):
            if let string {
                let isSentence = string.contains(" ") && string.contains(where: \.isNumber)
                return isSentence && !string.contains("REDACTED")
                    ? .scalar(Self.text(of: Self.lettersChanged(in: string))) : nil
            }
            guard text.first.map({ $0 == "-" || $0.isNumber }) == true,
                text.contains(where: { "123456789".contains($0) })
            else { return nil }
            return .scalar("0")
        case (.array(let elements), .order):
            let reversed = Array(elements.reversed())
            return reversed == elements ? nil : .array(reversed)
        case (.array(let elements), .empty): return elements.isEmpty ? nil : .array([])
        default: return nil
        }
    }

    /// Returns a text that differs from another one and looks like it, so that it is still a date, a URL or an identifier.
    private static func other(than text: String) -> String? {
        if text.contains("REDACTED") { return nil }
        if let changed = digitsChanged(in: text) { return changed }
        let changed = lettersChanged(in: text)
        return changed == text ? text + "x" : changed
    }

    /// Changes the last two digits that are next to each other by one: down, but up from 0 and 1.
    ///
    /// So the last day of a month stays a day, and no hour becomes the 24th. A number does not begin with a zero: 10 becomes 11.
    private static func digitsChanged(in text: String, isNumber: Bool = false) -> String? {
        var bytes = Array(text.utf8)
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard let last = bytes.lastIndex(where: isDigit) else { return nil }
        let value = { (index: Int) in Int(bytes[index] - UInt8(ascii: "0")) }
        let hasTens = last > 0 && isDigit(bytes[last - 1])
        let old = (hasTens ? value(last - 1) * 10 : 0) + value(last)
        let isTen = isNumber && text.drop { $0 == "-" } == "10"
        let new = old > 1 && !isTen ? old - 1 : old + 1
        bytes[last] = UInt8(ascii: "0") + UInt8(new % 10)
        if hasTens { bytes[last - 1] = UInt8(ascii: "0") + UInt8(new / 10) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Replaces each letter of a text by the next one of the alphabet; of a URL, only those behind the last slash.
    private static func lettersChanged(in text: String) -> String {
        let start =
            text.contains("://")
            ? text.lastIndex(of: "/").map { text.index(after: $0) } ?? text.startIndex : text.startIndex
        let rest = text[start...].unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar {
            case "z": "a"
            case "Z": "A"
            case "a"..."y", "A"..."Y": Unicode.Scalar(scalar.value + 1) ?? scalar
            default: scalar
            }
        }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: rest)
        return text[..<start] + String(scalars)
    }
}

extension StubFile {
    /// Returns the text of the file with some changes.
    func text(with changes: [ResponseChange]) throws -> Data {
        var file = self
        for (position, changes) in Dictionary(grouping: changes, by: \.stub) {
            var tree = ChangeTree()
            for change in changes where ![.status, .body].contains(change.kind) {
                tree.add(change.kind, at: change.path[...])
            }
            let status = changes.contains { $0.kind == .status }
            try file.changeStub(at: position - 1) { body in
                changes.contains { $0.kind == .body } ? Data() : tree.changed(body)
            } head: {
                if status { $0.statusCode = ResponseChange.status(otherThan: $0.statusCode) }
            }
        }
        return try file.text()
    }

    /// Changes the body and the head of a stub's response.
    mutating func changeStub(
        at index: Int,
        body change: (Data) -> Data,
        head changeHead: (inout ResponseHead) -> Void = { _ in }
    ) throws {
        var stub = stub(at: index)
        let old = stub.response
        guard var head = old.head else { return }
        changeHead(&head)
        let body = try old.body.map(change)
        var new = StubResponse(head: head, body: body)
        if let failure = old.failure {
            new = .failing(
                domain: failure.domain,
                code: failure.code,
                description: failure.description,
                head: head,
                body: body
            )
        }
        if let timing = old.timing {
            new = new.timed(secondsToFirstByte: timing.secondsToFirstByte, chunks: timing.chunks)
        }
        stub.response = new
        _ = try replaceStub(at: index, with: stub)
    }
}
