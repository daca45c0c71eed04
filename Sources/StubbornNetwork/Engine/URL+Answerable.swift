import Foundation

extension URL {
    /// Whether a stub can answer requests for this URL: `http` or `https`, and a host.
    var isAnswerable: Bool {
        if isPlainlyAnswerable { return true }
        return switch scheme?.lowercased() {
        case "http", "https": host?.isEmpty == false
        default: false
        }
    }

    /// Whether the text alone says so, which spares taking it apart: `https://` and a letter or digit.
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
            // User info may stand in front of a host that is not there.
            return !rest.contains(UInt8(ascii: "@"))
        }
    }
}
