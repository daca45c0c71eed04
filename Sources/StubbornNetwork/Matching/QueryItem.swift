import Foundation

/// A name and a value of a URL's query or of a form, in the one spelling of `PercentEncoding`.
package struct QueryItem: Hashable, Comparable, Sendable {
    package var name: String
    /// The value; `nil` for an item without `=`, because `a` and `a=` differ in a query.
    package var value: String?

    package static func < (left: Self, right: Self) -> Bool {
        if left.name != right.name { return left.name < right.name }
        guard let value = right.value else { return false }
        return left.value.map { $0 < value } ?? true
    }

    /// Returns the items of a query or a form in their order, without empty ones, as in `a=1&&b=2`.
    ///
    /// In a `.form`, `+` is a space and a field without `=` has an empty value.
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
    package static func fields(ofForm body: Data?) -> [QueryItem] {
        body?.withBytes { items(of: $0, as: .form) } ?? []
    }

    /// Returns a field of a form for a name and a value in plain text.
    package static func field(name: String, value: String) -> QueryItem {
        QueryItem(name: PercentEncoding.encodedField(name), value: PercentEncoding.encodedField(value))
    }

    /// Returns the names that an item may have in a URL for a name in plain text: a space is `%20` or `+`.
    static func spellings(ofName name: String) -> Set<String> {
        let spelled = PercentEncoding.normalized(name, as: .query)
            .replacingOccurrences(of: "&", with: "%26")
            .replacingOccurrences(of: "=", with: "%3D")
        return [spelled, spelled.replacingOccurrences(of: "%20", with: "+")]
    }
}

extension QueryItem {
    /// The item as it is compared: JSON in one spelling, because the order of its keys has no meaning.
    var comparable: QueryItem {
        guard let value, value.hasPrefix("%7B") || value.hasPrefix("%5B"),
            let json = JSONValue(Data(PercentEncoding.decoded(value).utf8)),
            let encoded = json.text(upTo: .max).addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        else { return self }
        return QueryItem(name: name, value: PercentEncoding.normalized(encoded, as: .query))
    }
}

extension [QueryItem] {
    var queryText: String {
        map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }.joined(separator: "&")
    }
}
