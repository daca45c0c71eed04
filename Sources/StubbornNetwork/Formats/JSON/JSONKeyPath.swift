/// A key path: the place of a member in JSON.
///
/// It consists of keys divided by dots, as in `meta.sentAt`. Arrays are passed through: `items.id` is the `id` of every
/// element. A dot inside a key is written `\.`, a backslash `\\`.
struct JSONKeyPath: Hashable, Sendable {
    var keys: [String]

    init(keys: [String]) {
        self.keys = keys
    }

    init(_ text: String) {
        keys = []
        var key = ""
        var isEscaped = false
        for character in text.unicodeScalars {
            switch character {
            case _ where isEscaped:
                isEscaped = false
                key.unicodeScalars.append(character)
            case "\\": isEscaped = true
            case ".":
                keys.append(key)
                key = ""
            default: key.unicodeScalars.append(character)
            }
        }
        keys.append(key)
    }

    /// The path in the form that `init(_:)` reads.
    var text: String {
        keys.map(Self.escaped).joined(separator: ".")
    }

    /// Returns a key in the form that it has in a path.
    static func escaped(_ key: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in key.unicodeScalars {
            if scalar == "." || scalar == "\\" { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }
}
