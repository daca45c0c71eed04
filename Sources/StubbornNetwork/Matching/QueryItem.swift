import Foundation

/// A name and a value: of a URL's query, or of a form.
///
/// Both in the one spelling of `PercentEncoding`, so that equal items are equal text.
struct QueryItem: Hashable, Comparable, Sendable {
    var name: String

    /// `nil` for an item without `=`: `a` and `a=` differ in a query.
    var value: String?

    init(name: String, value: String?) {
        self.name = name
        self.value = value
    }

    static func < (left: Self, right: Self) -> Bool {
        if left.name != right.name { return left.name < right.name }
        switch (left.value, right.value) {
        case (nil, nil), (_?, nil): return false
        case (nil, _?): return true
        case (let left?, let right?): return left < right
        }
    }

    /// The items of a query, in their order; empty ones, as in `a=1&&b=2`, are left out.
    static func items(ofQuery bytes: ArraySlice<UInt8>) -> [QueryItem] {
        bytes.split(separator: UInt8(ascii: "&")).map { item in
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else {
                return QueryItem(name: PercentEncoding.normalised(item, as: .query), value: nil)
            }
            return QueryItem(
                name: PercentEncoding.normalised(item[..<equals], as: .query),
                value: PercentEncoding.normalised(item[(equals + 1)...], as: .query)
            )
        }
    }

    /// The fields of a form body (`application/x-www-form-urlencoded`), in their order: `+` is a space, and a field
    /// without `=` has an empty value.
    static func fields(ofForm bytes: ArraySlice<UInt8>) -> [QueryItem] {
        bytes.split(separator: UInt8(ascii: "&")).map { field in
            let equals = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            return QueryItem(
                name: PercentEncoding.normalised(field[..<equals], as: .form),
                value: PercentEncoding.normalised(field[equals...].dropFirst(), as: .form)
            )
        }
    }

    /// A field given in code, its name and value as plain text, in the spelling of form fields.
    static func field(name: String, value: String) -> QueryItem {
        QueryItem(name: PercentEncoding.encodedField(name), value: PercentEncoding.encodedField(value))
    }

    /// An item of a query given in code, its name and value as plain text.
    static func plain(name: String, value: String?) -> QueryItem {
        QueryItem(
            name: plain(name).replacingOccurrences(of: "=", with: "%3D"),
            value: value.map(plain)
        )
    }

    /// Returns the names that an item of a query may have in a URL, for a name given in code as plain text: a space is `%20`
    /// or `+`.
    static func spellings(ofName name: String) -> [String] {
        [name, name.replacingOccurrences(of: " ", with: "+")].map { plain(name: $0, value: nil).name }
    }

    // An `&` would have divided the query: a live request has `%26` for it. A `+` stays as it is.
    private static func plain(_ text: String) -> String {
        PercentEncoding.normalised(text, as: .query).replacingOccurrences(of: "&", with: "%26")
    }
}
