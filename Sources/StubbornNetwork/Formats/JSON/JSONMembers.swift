import Foundation

/// The members of JSON text at some key paths.
enum JSONMembers {
    /// Returns the ranges of the members' values, by their places, such as `items[2].updatedAt`; none for a text that is not
    /// JSON.
    static func ranges(of paths: [JSONKeyPath], in text: Data) -> [String: Range<Int>] {
        text.withBytes { bytes in
            var scanner = JSONScanner(text: bytes)
            var result: [String: Range<Int>] = [:]
            let isRead: Void? = try? find(paths.map { $0.keys[...] }, in: &scanner, at: "", depth: 0, &result)
            return isRead == nil ? [:] : result
        }
    }

    /// Adds the members at the remaining keys of the paths, within the value at the scanner's position, and moves past
    /// that value.
    private static func find(
        _ paths: [ArraySlice<String>],
        in scanner: inout JSONScanner,
        at place: String,
        depth: Int,
        _ result: inout [String: Range<Int>]
    ) throws(JSONSyntaxError) {
        guard !paths.isEmpty, !paths.contains(where: \.isEmpty), scanner.current?.isOne(of: "{[") == true else {
            let value = try scanner.skipValue(depth: depth)
            if paths.contains(where: \.isEmpty) { result[place] = value.range }
            return
        }
        let container = try scanner.enter(depth: depth)
        var count = 0
        while try scanner.moveToElement(of: container, isFirst: count == 0) {
            var (inner, innerPlace) = (paths, place)
            if container == .object {
                let key = try scanner.skipKey()
                let name = try scanner.text(of: key) ?? ""
                inner = paths.filter { $0.first == name }.map { $0.dropFirst() }
                innerPlace += ".\(JSONKeyPath.escaped(name))"
            } else {
                innerPlace += "[\(count)]"
            }
            try find(inner, in: &scanner, at: innerPlace, depth: depth + 1, &result)
            count += 1
        }
    }
}

/// A key path: the place of a member in JSON.
///
/// It consists of keys divided by dots, as in `meta.sentAt`. Arrays are passed through: `items.id` is the `id` of every
/// element. A dot inside a key is written `\.`, a backslash `\\`.
package struct JSONKeyPath: Hashable, Sendable {
    var keys: [String]

    init(keys: [String]) { self.keys = keys }

    package init(_ text: String) {
        keys = [""]
        var isEscaped = false
        for character in text.unicodeScalars {
            switch (character, isEscaped) {
            case ("\\", false): isEscaped = true
            case (".", false): keys.append("")
            default:
                keys[keys.count - 1].unicodeScalars.append(character)
                isEscaped = false
            }
        }
    }

    /// The path in the form that `init(_:)` reads.
    var text: String { keys.map(Self.escaped).joined(separator: ".") }

    /// Returns a key as a report shows it in a path, on one line: `49.0` is `49\.0`.
    static func shown(_ key: String) -> String {
        let parts = key.split(separator: ".", omittingEmptySubsequences: false)
        return parts.map { String($0).onOneLine }.joined(separator: "\\.")
    }

    /// Returns a key in the form that it has in a path.
    static func escaped(_ key: String) -> String {
        key.unicodeScalars.map { $0 == "." || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
    }
}

/// A change of JSON text that keeps the spelling of everything that does not change.
///
/// `{ "id" : 1.0, "name" : "Ada" }` with the name "Eve" becomes `{ "id" : 1.0, "name" : "Eve" }`: numbers, strings, the order of
/// members and white space are copied from the old text. New members follow the old ones.
struct JSONEdit {
    private let old: Bytes

    /// Returns a body with a new value.
    ///
    /// A body that is not JSON is replaced as a whole.
    static func body(_ body: Data?, changedTo new: JSONValue) -> Data {
        let text = body?.withBytes { bytes -> [UInt8]? in
            var scanner = JSONScanner(text: bytes)
            guard JSONValue(bytes) != nil, let value = try? scanner.skipValue(depth: 0).range else { return nil }
            let edit = Edit(range: value, text: JSONEdit(old: bytes).value(in: value, changedTo: new))
            return Edit.apply([edit], to: bytes)
        }
        return Data(text ?? Self.text(of: new))
    }

    /// An element of an array, or a member of an object: the offsets of all of it, and of its value.
    private struct Element {
        let key: String?
        let range: Range<Int>
        let value: Range<Int>
    }

    private func value(in range: Range<Int>, changedTo new: JSONValue) -> [UInt8] {
        guard let value = JSONValue(old.part(range)), value != new else { return copy(range) }
        switch (value.content, new.content) {
        case (.object, .object(let members)): return container(range, changedTo: members)
        case (.array, .array(let elements)): return container(range, changedTo: elements.map { ("", $0) })
        default: return Self.text(of: new)
        }
    }

    /// Returns the text of an object with other members, or of an array with other elements, which have empty keys.
    private func container(_ range: Range<Int>, changedTo members: [JSONValue.Member]) -> [UInt8] {
        let elements = elements(in: range)
        // Repeated keys keep their order, and so do the elements of an array.
        var values = Dictionary(grouping: members, by: \.key).mapValues { $0.map(\.value)[...] }
        // An element whose text is `nil` was removed.
        let texts = elements.map { element in
            values[element.key ?? ""]?.popFirst().map {
                copy(element.range.lowerBound..<element.value.lowerBound) + value(in: element.value, changedTo: $0)
            }
        }
        let isArray = old.at(range.lowerBound) == .openingBracket
        let added = values.sorted { $0.key < $1.key }.flatMap { key, values in
            let name: [UInt8] = isArray ? [] : Self.text(of: .string(key)) + [.colon]
            return values.map { name + Self.text(of: $0) }
        }
        guard let first = elements.first, let last = elements.last else {
            return copy(range.prefix(1)) + added.joined(separator: [.comma]) + copy(range.suffix(1))
        }
        let separators = zip(elements, elements.dropFirst()).map { copy($0.range.upperBound..<$1.range.lowerBound) }
        // The elements, each with the separator before it.
        let kept = zip([[]] + separators, texts).compactMap { separator, text in text.map { (separator, $0) } }
        let all = kept + added.map { (separators.first ?? [.comma], $0) }
        let text: [UInt8] = all.prefix(1).flatMap { $0.1 } + all.dropFirst().flatMap { $0.0 + $0.1 }
        return copy(range.lowerBound..<first.range.lowerBound) + text + copy(last.range.upperBound..<range.upperBound)
    }

    /// Returns the elements of an array or an object that was read before, so no error is possible.
    private func elements(in range: Range<Int>) -> [Element] {
        var scanner = JSONScanner(old, at: range.lowerBound)
        var elements: [Element] = []
        guard let container = try? scanner.enter(depth: 0) else { return [] }
        while (try? scanner.moveToElement(of: container, isFirst: elements.isEmpty)) == true {
            let start = scanner.position
            let key = container == .object ? (try? scanner.skipKey()).flatMap { try? scanner.text(of: $0) } : nil
            guard let value = try? scanner.skipValue(depth: 0).range else { break }
            elements.append(Element(key: key, range: start..<value.upperBound, value: value))
        }
        return elements
    }

    private func copy(_ range: Range<Int>) -> [UInt8] { Array(old.part(range)) }

    private static func text(of value: JSONValue) -> [UInt8] {
        var writer = JSONWriter(.compact)
        writer.value(value)
        return Array(writer.output)
    }
}
