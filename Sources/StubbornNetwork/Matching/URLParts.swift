import Foundation

/// A URL taken apart once, each part in one spelling, so that equal URLs have equal parts.
///
/// Scheme and host in lower case; the port empty where it is the scheme's own; an empty path as `/`; percent-encoding
/// as `PercentEncoding` spells it; dot segments as they are. User info and fragment are left out: the first is
/// redacted in recordings, the second is never sent.
struct URLParts: Hashable, Sendable {
    var scheme = ""

    /// Without the brackets of an IPv6 address.
    var host = ""

    /// Empty for none, and for the scheme's own.
    var port = ""

    var path = "/"

    /// In the order of the URL.
    var query: [QueryItem] = []

    init(_ url: URL) {
        self.init(url.absoluteString)
    }

    init(_ text: String) {
        var rest = ArraySlice(text.utf8)
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = QueryItem.items(ofQuery: rest[(mark + 1)...])
            rest = rest[..<mark]
        }
        if let colon = Self.endOfScheme(in: rest) {
            scheme = Self.lowercased(rest[..<colon])
            rest = rest[(colon + 1)...]
        }
        if rest.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) {
            rest = rest.dropFirst(2)
            let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            readAuthority(rest[..<slash])
            rest = rest[slash...]
        }
        path = rest.isEmpty ? "/" : PercentEncoding.normalised(rest, as: .path)
    }

    /// The URL in this spelling, query items in their order: `https://api.example.com/users?page=2`.
    var text: String {
        var result = scheme.isEmpty ? "" : "\(scheme):"
        result += host.utf8.contains(UInt8(ascii: ":")) ? "//[\(host)]" : "//\(host)"
        if !port.isEmpty { result += ":\(port)" }
        result += path
        var separator = "?"
        for item in query {
            result += separator + item.name
            if let value = item.value { result += "=\(value)" }
            separator = "&"
        }
        return result
    }

    /// With the query items in an order of their own, less those of the given names: what is compared.
    func comparable(ignoringQueryItems names: Set<String>) -> URLParts {
        guard !query.isEmpty else { return self }
        var result = self
        if !names.isEmpty { result.query.removeAll { names.contains($0.name) } }
        if result.query.count > 1 { result.query.sort() }
        return result
    }

    private mutating func readAuthority(_ authority: ArraySlice<UInt8>) {
        var rest = authority
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) { rest = rest[(at + 1)...] }
        var end = rest.endIndex
        if rest.first == UInt8(ascii: "["), let bracket = rest.firstIndex(of: UInt8(ascii: "]")) {
            host = Self.lowercased(rest[(rest.startIndex + 1)..<bracket])
            rest = rest[(bracket + 1)...]
            end = rest.startIndex
        } else {
            end = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            host = Self.normalisedHost(rest[..<end])
        }
        guard end < rest.endIndex, rest[end] == UInt8(ascii: ":") else { return }
        let digits = rest[(end + 1)...].drop { $0 == UInt8(ascii: "0") }
        port = String(decoding: digits, as: UTF8.self)
        switch (scheme, port) {
        case ("http", "80"), ("https", "443"), ("ws", "80"), ("wss", "443"): port = ""
        default: break
        }
    }

    /// A host in one spelling: lower case, without brackets, unreserved characters decoded.
    static func normalisedHost(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.contains { $0 == UInt8(ascii: "%") || $0 > 127 }
            ? PercentEncoding.normalised(String(decoding: bytes, as: UTF8.self).lowercased(), as: .path).lowercased()
            : lowercased(bytes)
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        let hasUpperCase = bytes.contains { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
        let text = String(decoding: bytes, as: UTF8.self)
        return hasUpperCase ? text.lowercased() : text
    }

    /// Where the colon behind a scheme is (RFC 3986, section 3.1); `nil` for a text without one.
    private static func endOfScheme(in bytes: ArraySlice<UInt8>) -> Int? {
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                if index == bytes.startIndex { return nil }
            case UInt8(ascii: ":"): return index == bytes.startIndex ? nil : index
            default: return nil
            }
        }
        return nil
    }
}
