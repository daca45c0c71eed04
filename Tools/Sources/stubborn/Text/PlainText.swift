import Foundation

extension String {
    /// The text without characters that control a terminal: an escape becomes `\u{1B}`, and so do the characters that
    /// turn the direction of text around.
    ///
    /// Tabs stay.
    var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isControl {
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// The text, each line without characters that control a terminal.
    var printableLines: String { lines.map(\.printable).joined(separator: "\n") }

    /// The lines, without their line breaks; a break at the end begins no line.
    var lines: [String] {
        var lines = split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }.map(
            String.init
        )
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        switch value {
        case 0x09: false
        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

/// A number of bytes for people.
struct ByteCount: CustomStringConvertible {
    let count: Int

    init(_ count: Int) {
        self.count = count
    }

    /// The number as text: `1 byte`, `12 bytes`, `1.2 kB`, `50.0 MB`.
    var description: String {
        switch count {
        case 1: "1 byte"
        case ..<1_000: "\(count) bytes"
        case ..<1_000_000: String(format: "%.1f kB", Double(count) / 1_000)
        default: String(format: "%.1f MB", Double(count) / 1_000_000)
        }
    }
}

/// Returns a number and a word in its singular or plural: `1 stub`, `2 stubs`.
func counted(_ count: Int, _ word: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? word : plural ?? word + "s")"
}
