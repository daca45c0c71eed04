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

    /// Returns a key in the form that it has in a path.
    static func escaped(_ key: String) -> String {
        key.unicodeScalars.map { $0 == "." || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
    }
}
