import Foundation
@_spi(Tools) import StubbornNetworkTooling
import Yams

/// A reader that converts YAML to JSON values, by the core schema of YAML 1.2: `yes` and `2020-01-31` are strings.
///
/// Aliases are followed, `<<` merges mappings as in YAML 1.1, and keys are strings, as `200:` is.
struct YAMLReader {
    private var count = 0

    /// The number of values that a document may have, for aliases may repeat each other.
    private static let maximumCount = 1_000_000

    /// Reads the text of a document.
    ///
    /// - Throws: `DocumentError` with the line that is not YAML.
    static func read(_ text: String) throws -> JSON {
        do {
            var reader = Self()
            guard let node = try Yams.compose(yaml: text) else { throw DocumentError("The document is empty.") }
            return try reader.value(of: node)
        } catch let error as YamlError {
            throw DocumentError("The document is not YAML. \(message(of: error))")
        }
    }

    /// Returns the reason for a fault on one line, without the text around it.
    private static func message(of error: YamlError) -> String {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return "Line \(mark.line): \(problem)."
        case .duplicatedKeysInMapping(let keys, let context):
            return "Line \(context.mark.line): the key \(keys.first ?? "") is there twice."
        default: return "\(error)".split(separator: "\n").first.map(String.init) ?? ""
        }
    }

    private mutating func value(of node: Node) throws -> JSON {
        count += 1
        guard count <= Self.maximumCount else {
            throw DocumentError(
                "The document has more than \(Self.maximumCount) values, because its aliases repeat each other."
            )
        }
        switch node {
        case .scalar(let scalar): return Self.value(of: scalar)
        case .sequence(let sequence): return .array(try sequence.map { try value(of: $0) })
        case .mapping(let mapping):
            var members: [String: JSON] = [:]
            var merged: [String: JSON] = [:]
            for (key, value) in mapping {
                guard let name = key.scalar?.string else { throw DocumentError("A key of a mapping is not a string.") }
                let value = try self.value(of: value)
                if name == "<<", key.scalar?.style == .plain {
                    for source in value.elements ?? [value] { merged.merge(source.members ?? [:]) { old, _ in old } }
                } else {
                    members[name] = value
                }
            }
            return .object(merged.merging(members) { $1 })
        case .alias: throw DocumentError("An alias of the document leads nowhere.")
        }
    }

    private static func value(of scalar: Node.Scalar) -> JSON {
        let text = scalar.string
        let isPlain = scalar.style == .plain || scalar.style == .any
        guard isPlain, scalar.tag != Tag(.str) else { return .string(text) }
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: return number(text).map { .number($0) } ?? .string(text)
        }
    }

    /// Returns a number of YAML as JSON writes it; `nil` for any other text.
    private static func number(_ text: String) -> String? {
        for (prefix, radix) in [("0x", 16), ("0o", 8)] where text.hasPrefix(prefix) {
            return UInt64(text.dropFirst(2), radix: radix).map(String.init)
        }
        // Most strings are not numbers, and a regular expression is slow to reject them.
        guard let first = text.unicodeScalars.first, "+-.0123456789".unicodeScalars.contains(first),
            let match = text.wholeMatch(of: /([-+]?)(?:([0-9]+)(\.[0-9]*)?|(\.[0-9]+))([eE][-+]?[0-9]+)?/)
        else { return nil }
        let (_, sign, whole, behindWhole, alone, exponent) = match.output
        let significant = whole?.drop { $0 == "0" } ?? ""
        let fraction = behindWhole ?? alone ?? ""
        return
            "\(sign == "-" ? sign : "")\(significant.isEmpty ? "0" : significant)\(fraction == "." ? ".0" : fraction)"
            + (exponent ?? "")
    }
}
