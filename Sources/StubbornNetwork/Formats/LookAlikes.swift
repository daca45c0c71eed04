import Foundation

/// Texts that differ, and that people cannot distinguish: a space and a no-break space, a Latin and a Cyrillic `a`.
enum LookAlikes {
    /// Returns two texts with escapes in place of the characters outside ASCII; `nil` for texts that do not look alike.
    ///
    ///     "50\u{a0}km" and "50 km"       an escape in the first one
    ///     "50 km" and "50 m"             nil
    static func escaped(_ first: String, _ second: String) -> (first: String, second: String)? {
        guard !first.utf8.elementsEqual(second.utf8), appearance(of: first) == appearance(of: second) else {
            return nil
        }
        return (escaped(first), escaped(second))
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { $0.isASCII ? String($0) : "\\u{\(String($0.value, radix: 16))}" }.joined()
    }

    /// Returns the characters that are seen, without the difference between those that look the same.
    private static func appearance(of text: String) -> [Unicode.Scalar] {
        text.decomposedStringWithCompatibilityMapping.unicodeScalars.compactMap { scalar in
            if scalar.properties.isDefaultIgnorableCodePoint { return nil }
            return scalar.properties.isWhitespace ? " " : latin[scalar] ?? scalar
        }
    }

    /// The Cyrillic and Greek letters that look like Latin ones (Unicode Technical Standard 39, section 4).
    private static let latin = Dictionary(
        zip(
            "аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧο".unicodeScalars,
            "aeopcyxijshdqwABEKMHOPCTXIJSABEZHIKMNOPTYXo".unicodeScalars
        ),
        uniquingKeysWith: { first, _ in first }
    )
}
