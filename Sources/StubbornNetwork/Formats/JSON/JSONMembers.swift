import Foundation

/// The members of JSON text at some key paths.
enum JSONMembers {
    /// Returns the ranges of the members' values, by their places, such as `items[2].updatedAt`; none for a text that is not
    /// JSON.
    static func ranges(of paths: [JSONKeyPath], in text: Data) -> [String: Range<Int>] {
        text.withBytes { bytes in
            var scanner = JSONScanner(bytes, at: bytes.has("\u{FEFF}", at: 0) ? 3 : 0)
            scanner.skipWhitespace()
            var result: [String: Range<Int>] = [:]
            let isRead: Void? = try? find(paths.map { $0.keys[...] }, in: &scanner, at: "", depth: 0, &result)
            return isRead == nil ? [:] : result
        }
    }

    /// Adds the members that the remaining keys of the paths lead to, from the value at the scanner's position, and
    /// moves past that value.
    private static func find(
        _ paths: [ArraySlice<String>],
        in scanner: inout JSONScanner,
        at place: String,
        depth: Int,
        _ result: inout [String: Range<Int>]
    ) throws(JSONSyntaxError) {
        let isContainer = scanner.current?.isOne(of: "{[") == true
        guard !paths.isEmpty, !paths.contains(where: \.isEmpty), isContainer else {
            let value = try scanner.skipValue(depth: depth)
            if paths.contains(where: \.isEmpty) { result[place] = value.range }
            return
        }
        let container = try scanner.enter(depth: depth)
        var count = 0
        while try scanner.moveToElement(of: container, isFirst: count == 0) {
            defer { count += 1 }
            guard container == .object else {
                try find(paths, in: &scanner, at: "\(place)[\(count)]", depth: depth + 1, &result)
                continue
            }
            let key = try scanner.skipKey()
            let name = try scanner.text(of: key) ?? ""
            try find(
                paths.filter { $0.first == name }.map { $0.dropFirst() },
                in: &scanner,
                at: "\(place).\(JSONKeyPath.escaped(name))",
                depth: depth + 1,
                &result
            )
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
            if !isEscaped, character == "\\" {
                isEscaped = true
                continue
            }
            if !isEscaped, character == "." {
                keys.append("")
            } else {
                keys[keys.count - 1].unicodeScalars.append(character)
            }
            isEscaped = false
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
