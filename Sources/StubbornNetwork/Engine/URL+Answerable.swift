import Foundation

extension URL {
    /// A Boolean value that indicates whether stubs can answer requests for this URL: `http` or `https`, and a host.
    var isAnswerable: Bool {
        if isPlainlyAnswerable { return true }
        return switch scheme?.lowercased() {
        case "http", "https": host?.isEmpty == false
        default: false
        }
    }

    /// A Boolean value that indicates whether the first characters say so: `https://` and a letter or digit. Faster than
    /// reading the parts of the URL.
    private var isPlainlyAnswerable: Bool {
        var text = absoluteString
        return text.withUTF8 { bytes in
            guard bytes.count > 8, bytes.starts(with: "http".utf8) else { return false }
            let rest = bytes[(bytes[4] == UInt8(ascii: "s") ? 5 : 4)...]
            guard rest.starts(with: "://".utf8), let first = rest.dropFirst(3).first else { return false }
            switch first {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
            default: return false
            }
            // The host behind the user information may be empty.
            return !rest.contains(UInt8(ascii: "@"))
        }
    }
}
