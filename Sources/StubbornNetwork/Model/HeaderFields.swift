import Foundation

/// The header fields of a request or a response: an ordered list that keeps repeated fields and compares names without
/// regard to case (RFC 9110, section 5).
///
///     var fields: HeaderFields = ["Content-Type": "text/plain"]
///     fields.append(name: "Set-Cookie", value: "a=1")
///     fields.append(name: "Set-Cookie", value: "b=2")
///     fields["set-cookie"]            // "a=1, b=2"
///     fields.values(named: "SET-COOKIE")  // ["a=1", "b=2"]
public struct HeaderFields: Sendable {
    /// One field, as it was written.
    public struct Field: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The fields in their order, names spelled as they were given.
    private(set) var fields: [Field]

    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// The fields of a dictionary, such as `allHTTPHeaderFields`, sorted by name because a dictionary has no order.
    public init(_ dictionary: [String: String]) {
        guard !dictionary.isEmpty else {
            fields = []
            return
        }
        fields = dictionary.map { Field(name: $0.key, value: $0.value) }.sorted {
            ($0.name, $0.value) < ($1.name, $1.value)
        }
    }

    public var isEmpty: Bool { fields.isEmpty }

    /// The value of a field: repeated fields are joined by `", "`, in their order (RFC 9110, section 5.3).
    ///
    /// Setting a value replaces every field of that name by one; setting `nil` removes them.
    public subscript(name: String) -> String? {
        get {
            let values = values(named: name)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
        set {
            let position = fields.firstIndex { $0.name.isSameFieldName(as: name) }
            let spelling = position.map { fields[$0].name } ?? name
            fields.removeAll { $0.name.isSameFieldName(as: name) }
            guard let newValue else { return }
            fields.insert(Field(name: spelling, value: newValue), at: position ?? fields.endIndex)
        }
    }

    /// The values of all fields of a name, in their order; empty when there is none.
    public func values(named name: String) -> [String] {
        fields.lazy.filter { $0.name.isSameFieldName(as: name) }.map(\.value)
    }

    /// Adds a field behind the others, whether or not there is one of that name.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// One entry for each name, in its first spelling, with repeated fields joined: the form that `HTTPURLResponse` and
    /// `URLRequest` take.
    ///
    /// Two spellings of a name must not reach `HTTPURLResponse` apart: it keeps one of them by chance.
    var combined: [String: String] {
        var spelling: [String: String] = [:]
        var result: [String: String] = [:]
        for field in fields where !field.name.isEmpty {
            let name = spelling[field.name.lowercased(), default: field.name]
            spelling[field.name.lowercased()] = name
            result[name] = result[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return result
    }
}

extension HeaderFields: Hashable {
    /// Equal when the same names carry the same values, each name's values in the same order; the order among different
    /// names says nothing (RFC 9110, section 5.3).
    public static func == (left: Self, right: Self) -> Bool {
        left.comparable == right.comparable
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(comparable)
    }

    private var comparable: [String: [String]] {
        Dictionary(grouping: fields) { $0.name.lowercased() }.mapValues { $0.map(\.value) }
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// The fields in the order of the literal; a name may be repeated.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}

extension HeaderFields: RandomAccessCollection {
    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> Field { fields[position] }
}

extension String {
    /// Whether this names the same header field: field names are ASCII and ignore case.
    func isSameFieldName(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return self == other || lowercased() == other.lowercased()
    }
}
