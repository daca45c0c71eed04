/// A list for the person who commits a recording: what was replaced in it, and what looks random and was left as it is.
///
///     2 replaced:
///       POST https://api.example.com/login: request body, password (password-fields), 1 × REDACTED-password-1
///       POST https://api.example.com/login: response body, access_token (token-fields), 1 × REDACTED-access_token-1
///     1 looks random and was left:
///       GET https://api.example.com/commits: response body, sha (40 characters)
///
/// It holds no secret.
public struct RedactionReport: Sendable, Hashable, Codable, CustomStringConvertible {
    /// A secret that was replaced.
    public struct Replacement: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The method and the URL of the request, without query.
        public var request: String
        /// The part of the exchange, and the name of the field: `response body, access_token`.
        public var part: String
        /// The name of the rule: `token-fields`.
        public var rule: String
        /// The text that took the secret's place.
        public var placeholder: String
        /// The number of times that it was replaced there.
        public var count: Int

        /// The replacement as a line of text.
        public var description: String { "\(request): \(part) (\(rule)), \(count) × \(placeholder)" }
    }

    /// A value that looks random and was left, because neither its name nor its form says that it is a secret.
    public struct Unredacted: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The method and the URL of the request, without query.
        public var request: String
        /// The part of the exchange, and the name of the field: `response body, sha`.
        public var part: String
        /// The number of characters of the value.
        public var length: Int

        /// The value's place as a line of text.
        public var description: String { "\(request): \(part) (\(length) characters)" }
    }

    /// The secrets that were replaced, in the order in which they were found.
    public internal(set) var replacements: [Replacement] = []

    /// The values that look random and were left, in the order in which they were found.
    ///
    /// A value is listed once for each field. To have it replaced, add its name to the redaction.
    public internal(set) var unredacted: [Unredacted] = []

    /// The lists as text.
    public var description: String {
        func list(_ entries: [some CustomStringConvertible], one: String, several: String) -> [String] {
            guard !entries.isEmpty else { return [] }
            return ["\(entries.count) \(entries.count == 1 ? one : several):"] + entries.map { "  \($0)" }
        }
        let lines =
            list(replacements, one: "replaced", several: "replaced")
            + list(unredacted, one: "looks random and was left", several: "look random and were left")
        return lines.joined(separator: "\n")
    }

    /// Returns the numbers of entries as a sentence.
    ///
    /// - Parameter network: the network, as the code names it.
    /// - Returns: the text; empty where there are no entries.
    package func summary(of network: String) -> String {
        func counted(_ count: Int, _ one: String, _ several: String) -> String? {
            count == 0 ? nil : count == 1 ? "1 \(one)" : "\(count) \(several)"
        }
        let counts = [
            counted(
                Set(replacements.map(\.placeholder)).count,
                "secret was replaced",
                "secrets were replaced"
            ),
            counted(unredacted.count, "value looks random and was left", "values look random and were left"),
        ].compactMap(\.self)
        guard !counts.isEmpty else { return "" }
        let advice = unredacted.isEmpty ? "" : " See \(network).redactionReport."
        return "\(counts.joined(separator: "; ")).\(advice)"
    }

    mutating func add(_ notes: [(part: String, rule: String, placeholder: String)], of request: String) {
        for (part, rule, placeholder) in notes {
            let index = replacements.lastIndex {
                $0.placeholder == placeholder && $0.part == part && $0.request == request && $0.rule == rule
            }
            if let index {
                replacements[index].count += 1
            } else if replacements.count < 1_000 {
                replacements.append(.init(request: request, part: part, rule: rule, placeholder: placeholder, count: 1))
            }
        }
    }

    mutating func add(unredacted parts: [(part: String, length: Int)], of request: String) {
        for (part, length) in parts where unredacted.count < 1_000 {
            let new = Unredacted(request: request, part: part, length: length)
            if !unredacted.contains(new) { unredacted.append(new) }
        }
    }
}
