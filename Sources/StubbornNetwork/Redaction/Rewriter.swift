/// A rewriter that replaces the secrets of stubs and texts, by rules and by what the vault has seen.
///
/// The functions that return an optional return `nil` where nothing changes. Formats inside formats (a URL in a JSON
/// string in a form field) are followed to a depth of `maximumDepth`; what lies deeper is searched as text.
struct Rewriter {
    static let maximumDepth = 5

    let redaction: Redaction
    let names: SecretNames
    let shapes: SecretShapes
    var vault: SecretVault

    /// A Boolean value that indicates whether the text is of a response, in which `password` may be a label.
    var isResponse = false

    /// The meaning of what has no name in a body: what the path says of it, as in `GET /csrf-token`.
    var unnamed: SecretField?

    /// A Boolean value that indicates whether what signatures bring along counts as a secret, for comparing loosely.
    var isLoose = false

    /// The names and values of it that were found.
    var companions: [(name: String, value: String)] = []

    /// Returns the result of a further step on what the steps before it returned.
    mutating func then(
        _ current: [UInt8]?,
        _ bytes: Bytes,
        _ step: (inout Self, Bytes) -> [UInt8]?
    ) -> [UInt8]? {
        guard let current else { return step(&self, bytes) }
        return current.withUnsafeBufferPointer { step(&self, $0) } ?? current
    }
}
