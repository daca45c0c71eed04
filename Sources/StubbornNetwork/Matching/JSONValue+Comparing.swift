import Foundation

extension JSONValue {
    /// Without the members that the paths name. An array on the way is passed through to every element.
    func removing(_ paths: [JSONKeyPath]) -> JSONValue {
        removing(paths.map { ArraySlice($0.keys) })
    }

    private func removing(_ paths: [ArraySlice<String>]) -> JSONValue {
        guard !paths.isEmpty else { return self }
        switch self {
        case .array(let elements):
            return .array(elements.map { $0.removing(paths) })
        case .object(var members):
            for (key, same) in Dictionary(grouping: paths, by: { $0.first ?? "" }) {
                guard let member = members[key] else { continue }
                if same.contains(where: { $0.count <= 1 }) {
                    members[key] = nil
                } else {
                    members[key] = member.removing(same.map { $0.dropFirst() })
                }
            }
            return .object(members)
        default:
            return self
        }
    }

    /// Whether everything that `part` says holds here too: its members, at any depth, are here with these values;
    /// arrays have the same length; everything else is equal.
    func contains(_ part: JSONValue) -> Bool {
        switch (self, part) {
        case (.object(let members), .object(let wanted)):
            wanted.allSatisfy { key, value in members[key]?.contains(value) ?? false }
        case (.array(let elements), .array(let wanted)):
            elements.count == wanted.count && zip(elements, wanted).allSatisfy { $0.contains($1) }
        default:
            self == part
        }
    }

    /// The value on one line, keys sorted; cut off soon after `byteCount` bytes.
    func text(upTo byteCount: Int) -> String {
        var result = ""
        write(to: &result, upTo: byteCount)
        return result
    }

    private func write(to text: inout String, upTo byteCount: Int) {
        guard text.utf8.count <= byteCount else { return }
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .string(let value): text += value.quoted(upTo: byteCount)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() where text.utf8.count <= byteCount {
                if index > 0 { text += "," }
                element.write(to: &text, upTo: byteCount)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, key) in members.keys.sorted().enumerated() where text.utf8.count <= byteCount {
                text += "\(index > 0 ? "," : "")\(key.quoted(upTo: byteCount)):"
                members[key]?.write(to: &text, upTo: byteCount)
            }
            text += "}"
        }
    }
}
