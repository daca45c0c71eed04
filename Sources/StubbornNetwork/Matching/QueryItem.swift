import Foundation

/// A name and a value, of a URL's query or of a form.
///
/// Both are in the one spelling of `PercentEncoding`, so that equal items are equal text.
struct QueryItem: Hashable, Comparable, Sendable {
    var name: String

    /// The value; `nil` for an item without `=`, because `a` and `a=` differ in a query.
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

    /// Returns the items of a query, or the fields of a form, in their order. Empty ones, as in `a=1&&b=2`, are left out.
    ///
    /// - Parameter part: `.query`; or `.form`, in which `+` is a space and a field without `=` has an empty value.
    static func items(of bytes: Bytes, as part: PercentEncoding.Part) -> [QueryItem] {
        bytes.split(separator: .ampersand).map { item in
            let item = Bytes(rebasing: item)
            guard let equals = item.position(of: .equals, from: 0) else {
                return QueryItem(name: PercentEncoding.normalized(item, as: part), value: part == .form ? "" : nil)
            }
            return QueryItem(
                name: PercentEncoding.normalized(item.part(0..<equals), as: part),
                value: PercentEncoding.normalized(item.part(equals + 1..<item.count), as: part)
            )
        }
    }

    /// Returns the fields of a form body (`application/x-www-form-urlencoded`), in their order.
    static func fields(ofForm body: Data?) -> [QueryItem] {
        body?.withBytes { items(of: $0, as: .form) } ?? []
    }

    /// Returns a field of a form that was given in code, its name and value as plain text.
    static func field(name: String, value: String) -> QueryItem {
        QueryItem(name: PercentEncoding.encodedField(name), value: PercentEncoding.encodedField(value))
    }

    /// Returns an item of a query that was given in code, its name and value as plain text.
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

    // An `&` would have divided the query: a live request has `%26` instead. A `+` stays as it is.
    private static func plain(_ text: String) -> String {
        PercentEncoding.normalized(text, as: .query).replacingOccurrences(of: "&", with: "%26")
    }
}
