import Foundation

/// A JSON value, for comparing bodies: equal when the same is said, whatever the spacing, the order of keys, the
/// escapes in strings or the spelling of numbers.
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)

    /// In one spelling, without loss: `1.50`, `15e-1` and `1.5` are all `1.5`.
    case number(String)

    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The body of a request or a response, when it is a JSON object or array; `nil` for anything else.
    init?(body: Data) {
        let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let start = body.first { !space.contains($0) }
        guard start == UInt8(ascii: "{") || start == UInt8(ascii: "["), let value = JSONParser.value(of: body) else {
            return nil
        }
        self = value
    }
}
