/// The pairs of a form or of a URL's query: `a=1&b=2`.
enum FormFields {
    /// Visits the pairs that have a value, spelled as `.form` or `.query`.
    static func read(_ bytes: Bytes, in range: Range<Int>? = nil, as spelling: Spelling, visit: (TextField) -> Void) {
        for part in bytes.parts(of: range ?? 0..<bytes.count, separatedBy: .ampersand) {
            guard let equals = bytes.position(of: .equals, from: part.lowerBound, to: part.upperBound),
                equals + 1 < part.upperBound
            else { continue }
            // A URL in XML or HTML separates its items by `&amp;`.
            let start = bytes.has("amp;", at: part.lowerBound) ? part.lowerBound + 4 : part.lowerBound
            guard start <= equals else { continue }
            visit(TextField(value: equals + 1..<part.upperBound, names: [start..<equals], spelling: spelling))
        }
    }
}
