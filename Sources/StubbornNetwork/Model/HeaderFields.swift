import Foundation

/// The header fields of a request or a response: an ordered list that keeps repeated fields and ignores the case of names
/// (RFC 9110, section 5).
///
///     var fields: HeaderFields = ["Content-Type": "text/plain"]
///     fields.append(name: "Set-Cookie", value: "a=1")
///     fields.append(name: "Set-Cookie", value: "b=2")
///     fields["set-cookie"]            // "a=1, b=2"
///     fields.values(named: "SET-COOKIE")  // ["a=1", "b=2"]
public struct HeaderFields: Sendable {
    /// A field, as it was written.
    public struct Field: Sendable, Hashable {
        /// The name, as it was written.
        public var name: String
        /// The value, as it was written.
        public var value: String

        /// Creates a field.
        public init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    /// The fields in their order, with their names as they were given.
    private(set) var fields: [Field]

    /// Creates a list of fields, which keeps their order.
    public init(_ fields: [Field] = []) { self.fields = fields }

    /// Creates a list from a dictionary, such as `allHTTPHeaderFields`, sorted by name because a dictionary has no order.
    public init(_ dictionary: [String: String]) {
        fields = dictionary.sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) }
    }

    /// The value of a field; `nil` when there is none.
    ///
    /// Repeated fields are joined by `", "`, in their order (RFC 9110, section 5.3). Setting a value replaces all
    /// fields with that name. Setting `nil` removes them.
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

    /// Returns the values of all fields with a name, in their order.
    public func values(named name: String) -> [String] {
        fields.lazy.filter { $0.name.isSameFieldName(as: name) }.map(\.value)
    }

    /// Adds a field at the end, even if a field with that name exists.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The content type; `nil` if there is none.
    package var contentType: ContentType? { self["Content-Type"].flatMap { $0.isEmpty ? nil : ContentType($0) } }

    /// The fields of a request as a dictionary: each name in its first spelling, repeated fields joined.
    package var combined: [String: String] { combined { $0.lowercased() } }

    /// The fields of a response as a dictionary: repeated fields joined, names that differ in case kept separate, as a
    /// session returns them.
    var combinedBySpelling: [String: String] { combined { $0 } }

    private func combined(by key: (String) -> String) -> [String: String] {
        let groups = Dictionary(grouping: fields.filter { !$0.name.isEmpty }) { key($0.name) }.values
        let joined = groups.map { ($0[0].name, $0.map(\.value).joined(separator: ", ")) }
        return Dictionary(uniqueKeysWithValues: joined)
    }
}

extension HeaderFields: Hashable {
    /// Returns a Boolean value that indicates whether both lists have the same values for the same names.
    ///
    /// The order of the values of one name matters. The order of different names does not (RFC 9110, section 5.3).
    public static func == (left: Self, right: Self) -> Bool { left.comparable == right.comparable }

    /// Combines the names, without regard to case, and their values.
    public func hash(into hasher: inout Hasher) { hasher.combine(comparable) }

    private var comparable: [String: [String]] {
        Dictionary(grouping: fields) { $0.name.lowercased() }.mapValues { $0.map(\.value) }
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Creates a list in the order of the literal, in which a name may be repeated.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}

extension HeaderFields: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { fields.startIndex }
    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }
    /// The field at a position.
    public subscript(position: Int) -> Field { fields[position] }
}

extension String {
    /// Returns a Boolean value that indicates whether both names, in any case, stand for the same header field.
    func isSameFieldName(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return self == other || lowercased() == other.lowercased()
    }

    /// Returns a Boolean value that indicates whether two header fields have the same elements, in any order.
    func hasSameElements(as other: String) -> Bool { elements.sorted() == other.elements.sorted() }

    private var elements: [Substring] { split { ",; ".contains($0) } }
}

extension Array where Element: Hashable {
    /// Returns the elements without the given ones; each of these removes one.
    package func removing(_ others: [Element]) -> [Element] {
        var counts = others.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return filter { element in
            guard let count = counts[element], count > 0 else { return true }
            counts[element] = count - 1
            return false
        }
    }
}
