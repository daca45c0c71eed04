import Foundation

/// A JSON value of mixed types, written as a Swift literal: `["id": 42, "name": "Ada"]`.
public struct JSONLiteral: Sendable {
    let value: JSONValue

    private init(_ value: JSONValue) {
        self.value = value
    }

    private init(number: String) {
        // Infinities and not-a-number are not JSON; they equal no body.
        value = .number(number.withBytes { JSONNumber($0)?.normalized } ?? number)
    }
}

extension JSONLiteral: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByStringLiteral {
    /// Creates a JSON `null`.
    public init(nilLiteral: ()) { self.init(.null) }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
    /// Creates a string.
    public init(stringLiteral value: String) { self.init(.string(value)) }
}

extension JSONLiteral: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates a number from an integer.
    public init(integerLiteral value: Int) { self.init(number: "\(value)") }
    /// Creates a number from a floating-point value.
    ///
    /// Infinities and not-a-number are not JSON; they equal no body.
    public init(floatLiteral value: Double) { self.init(number: "\(value)") }
}

extension JSONLiteral: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: JSONLiteral...) {
        self.init(.array(elements.map(\.value)))
    }

    /// Creates an object.
    ///
    /// If a key is repeated, the last value counts.
    public init(dictionaryLiteral elements: (String, JSONLiteral)...) {
        let members = Dictionary(elements.map { ($0.0, $0.1.value) }) { $1 }
        self.init(.object(members.map { ($0.key, $0.value) }))
    }
}
