import Foundation

/// A JSON value of mixed types, written as a Swift literal: `["id": 42, "name": "Ada", "tags": ["a", nil]]`.
///
/// `.value(_:)` takes the value of a variable: `["id": .value(user.id), "name": "Ada"]`.
public struct JSONLiteral: Sendable, Hashable {
    private(set) var value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    /// Returns any value as JSON, encoded by a `JSONEncoder`; `null` for a value that cannot be encoded.
    public static func value(_ value: some Encodable) -> JSONLiteral {
        JSONLiteral(JSONValue(encoding: value) ?? .null)
    }

    private init(number: String) {
        value = .number(number.withBytes { JSONNumber($0)?.normalized } ?? number)
    }

    // MARK: Members and elements

    /// The member of an object; `null` if there is none.
    ///
    /// Setting it adds the member, or replaces it; `nil` sets `null`. A value that is not an object becomes one.
    ///
    ///     json["user"]["name"] = "Eve"
    public subscript(key: String) -> JSONLiteral {
        get { JSONLiteral(value.members.last { $0.key == key }?.value ?? .null) }
        set { value = .object(value.members.filter { $0.key != key } + [(key, newValue.value)]) }
    }

    /// The element of an array; `null` if there is none.
    ///
    /// Setting an element that does not exist does nothing.
    public subscript(index: Int) -> JSONLiteral {
        get { value.elements.indices.contains(index) ? JSONLiteral(value.elements[index]) : nil }
        set {
            var elements = value.elements
            guard elements.indices.contains(index) else { return }
            elements[index] = newValue.value
            value = .array(elements)
        }
    }

    /// Removes the member of an object, if there is one.
    public mutating func remove(_ key: String) {
        if case .object(let members) = value.content { value = .object(members.filter { $0.key != key }) }
    }
}

extension JSONLiteral: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a JSON `null`.
    public init(nilLiteral: ()) { self.init(.null) }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
    /// Creates a string.
    public init(stringLiteral value: String) { self.init(.string(value)) }
    /// Creates a number from an integer.
    public init(integerLiteral value: Int) { self.init(number: "\(value)") }
    /// Creates a number from a floating-point value.
    ///
    /// Infinities and not-a-number are not JSON; they equal no body.
    public init(floatLiteral value: Double) { self.init(number: "\(value)") }
    /// Creates an array.
    public init(arrayLiteral elements: JSONLiteral...) { self.init(.array(elements.map(\.value))) }
    /// Creates an object.
    ///
    /// If a key is repeated, the last value counts.
    public init(dictionaryLiteral elements: (String, JSONLiteral)...) {
        let members = Dictionary(elements.map { ($0.0, $0.1.value) }) { $1 }
        self.init(.object(members.map { ($0.key, $0.value) }))
    }
}

extension JSONValue {
    init?(encoding value: some Encodable) {
        // In an array, because encoders of older systems refuse a single string or number.
        guard let data = try? JSONEncoder().encode([value]), let value = JSONValue(data)?.elements.first else {
            return nil
        }
        self = value
    }
}
