import Foundation

extension String {
    /// The text without invisible characters and characters that control a terminal: an escape becomes `\u{1B}`.
    ///
    /// Tabs are kept.
    var printable: String {
        // Examining bytes is much faster, and most strings need no further check.
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x09 }) { return self }
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
        var text = self
        return text.withUTF8 { bytes in
            var lines: [String] = []
            var (start, position) = (0, 0)
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                guard byte == 0x0A || byte == 0x0D else { continue }
                lines.append(String(decoding: bytes[start..<position - 1], as: UTF8.self))
                if byte == 0x0D, position < bytes.count, bytes[position] == 0x0A { position += 1 }
                start = position
            }
            if start < bytes.count { lines.append(String(decoding: bytes[start...], as: UTF8.self)) }
            return lines
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        switch value {
        case 0x09: false
        // Emoji are joined by U+200D and followed by U+FE0F; flags of regions have tags.
        case 0x200D, 0xFE0F, 0xE0020...0xE007F: false
        case ..<0x7F: value < 0x20
        default: [.control, .format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
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
