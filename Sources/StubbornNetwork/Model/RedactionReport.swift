import Foundation

/// A report for the person who commits a recording: what was replaced, and what looks random and was kept.
///
/// It has one line for each field, so it is short even for a long recording:
///
///     2 fields were replaced:
///       request header Authorization, token (headers): 26 requests, REDACTED-token-1
///       request body, password (password-fields): POST https://api.example.com/login, REDACTED-password-1
///     1 field looks random and was kept:
///       response body, seal: 26 requests, 6dcb… (40 characters)
///
/// It shows the first four characters of a value that was kept, and nothing of a value that was replaced.
public struct RedactionReport: Sendable, Hashable, Codable, CustomStringConvertible {
    /// A field with secrets that were replaced.
    @_spi(Tools) public struct Replacement: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The method and the URL of the first request, without query.
        @_spi(Tools) public internal(set) var request: String
        /// The part of the exchange, and the name of the field: `response body, access_token`.
        @_spi(Tools) public internal(set) var part: String
        /// The name of the rule: `token-fields`.
        @_spi(Tools) public internal(set) var rule: String
        /// The placeholder of the first secret.
        @_spi(Tools) public internal(set) var placeholder: String
        /// The number of secrets that were replaced there.
        @_spi(Tools) public internal(set) var count: Int = 1
        /// The number of different requests.
        package internal(set) var requestCount: Int = 1
        /// The number of different placeholders.
        package internal(set) var valueCount: Int = 1

        /// The replacement as a line of text.
        @_spi(Tools) public var description: String {
            let requests = requestCount == 1 ? request.cut(to: 80) : "\(requestCount) requests"
            let values = valueCount > 1 ? "\(valueCount) different values, " : ""
            return "\(part) (\(rule)): \(requests), \(values)\(placeholder.cut(to: 40))"
        }
    }

    /// A field with values that look random and were kept, because neither their name nor their format marks them as
    /// secrets.
    @_spi(Tools) public struct Unredacted: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The method and the URL of the first request, without query.
        @_spi(Tools) public internal(set) var request: String
        /// The part of the exchange, and the name of the field: `response body, sha`.
        @_spi(Tools) public internal(set) var part: String
        /// The first four characters of the first value.
        @_spi(Tools) public internal(set) var beginning: String
        /// The number of characters of the first value.
        @_spi(Tools) public internal(set) var length: Int
        /// The number of different requests.
        @_spi(Tools) public internal(set) var requestCount: Int = 1
        /// The number of different values.
        @_spi(Tools) public internal(set) var valueCount: Int = 1

        /// The field as a line of text.
        @_spi(Tools) public var description: String {
            let requests = requestCount == 1 ? request.cut(to: 80) : "\(requestCount) requests"
            let value = beginning.isEmpty ? "\(length) bytes" : "\(beginning)… (\(length) characters)"
            return "\(part): \(requests), \(valueCount > 1 ? "\(valueCount) different values, " : "")\(value)"
        }
    }

    /// The fields with secrets that were replaced, in the order in which they were found.
    @_spi(Tools) public internal(set) var replacements: [Replacement] = []

    /// The fields with values that look random and were kept, the most suspicious first.
    ///
    /// Addresses and ids come last. There are 15 fields at most; `unlistedCount` is the number of the others. To
    /// replace a value, add its name to the redaction.
    @_spi(Tools) public internal(set) var unredacted: [Unredacted] = []

    /// The number of further fields that look random, and are less suspicious than those in `unredacted`.
    @_spi(Tools) public internal(set) var unlistedCount: Int = 0

    /// The largest number of fields in `unredacted`.
    static let longestList = 15

    /// The lists as text, up to 30 lines of each.
    public var description: String {
        func list(_ entries: [some CustomStringConvertible], more: Int = 0, one: String, several: String) -> [String] {
            guard !entries.isEmpty else { return [] }
            let (count, further) = (entries.count + more, max(0, entries.count - 30) + more)
            let lines = ["\(count) \(count == 1 ? one : several):"] + entries.prefix(30).map { "  \($0)" }
            return lines + (further > 0 ? ["  … and \(further) more"] : [])
        }
        let lines =
            list(replacements, one: "field was replaced", several: "fields were replaced")
            + list(
                unredacted,
                more: unlistedCount,
                one: "field looks random and was kept",
                several: "fields look random and were kept, the most suspicious first"
            )
        return lines.joined(separator: "\n")
    }

    /// The report as one JSON object, with `replacements`, `unredacted` and `unlistedCount`.
    ///
    /// Later versions may add keys, but keep these.
    public var jsonString: String { JSONEncoder.prettyText(of: self) }
}

extension JSONEncoder {
    /// Returns an encoder that gives equal values equal texts.
    static func sortingKeys(_ formatting: OutputFormatting = []) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return encoder
    }

    /// Returns the JSON of a report for people and programs.
    static func prettyText(of report: some Encodable) -> String {
        (try? sortingKeys(.prettyPrinted).encode(report)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
