import Foundation

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
            guard JSONValue(bytes) != nil else { return nil }
            let edit = JSONEdit(old: bytes)
            let start = bytes.end(from: bytes.has("\u{FEFF}", at: 0) ? 3 : 0, while: \.isJSONSpace)
            var scanner = JSONScanner(bytes, at: start)
            guard let value = try? scanner.skipValue(depth: 0).range else { return nil }
            return edit.copy(0..<start) + edit.value(in: value, changedTo: new)
                + edit.copy(value.upperBound..<bytes.count)
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
        case (.object, .object(let members)): return object(in: range, changedTo: members)
        case (.array, .array(let elements)): return array(in: range, changedTo: elements)
        default: return Self.text(of: new)
        }
    }

    private func object(in range: Range<Int>, changedTo members: [JSONValue.Member]) -> [UInt8] {
        let elements = elements(in: range)
        // Repeated keys keep their order.
        var values = Dictionary(grouping: members, by: \.key).mapValues { $0.map(\.value)[...] }
        let texts = elements.map { element in
            values[element.key ?? ""]?.popFirst().map {
                copy(element.range.lowerBound..<element.value.lowerBound) + value(in: element.value, changedTo: $0)
            }
        }
        let added = values.sorted { $0.key < $1.key }.flatMap { key, values in
            values.map { Self.text(of: .string(key)) + [.colon] + Self.text(of: $0) }
        }
        return container(range, of: elements, texts: texts, added: added)
    }

    private func array(in range: Range<Int>, changedTo values: [JSONValue]) -> [UInt8] {
        let elements = elements(in: range)
        let texts = elements.enumerated().map { index, element in
            values.indices.contains(index) ? value(in: element.value, changedTo: values[index]) : nil
        }
        let added = values.dropFirst(elements.count).map { Self.text(of: $0) }
        return container(range, of: elements, texts: texts, added: added)
    }

    /// Returns the text of an array or an object; an element whose text is `nil` was removed.
    private func container(_ range: Range<Int>, of elements: [Element], texts: [[UInt8]?], added: [[UInt8]]) -> [UInt8]
    {
        guard let first = elements.first, let last = elements.last else {
            return copy(range.prefix(1)) + added.joined(separator: [.comma]) + copy(range.suffix(1))
        }
        let separators = zip(elements, elements.dropFirst()).map { copy($0.range.upperBound..<$1.range.lowerBound) }
        var text: [UInt8] = []
        for (index, element) in texts.enumerated() {
            guard let element else { continue }
            if !text.isEmpty { text += separators[index - 1] }
            text += element
        }
        for element in added {
            if !text.isEmpty { text += separators.first ?? [.comma] }
            text += element
        }
        return copy(range.lowerBound..<first.range.lowerBound) + text + copy(last.range.upperBound..<range.upperBound)
    }

    /// Returns the elements of an array or an object, which was read before, so that no error is possible.
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
