/// A place in a recorded request that stands for any value.
struct Wildcard: Hashable, Sendable {
    enum Kind: Sendable {
        /// The value belongs to the placeholder's name in all stubs.
        case named
        /// The placeholder has no number, so that nothing is known about the value.
        case unnamed
        /// The value differs each time.
        case volatile
    }

    /// The text in the recording: `REDACTED-token-1`.
    let placeholder: String
    let kind: Kind

    /// The placeholder, if its value belongs to it in all stubs.
    var name: String? { kind == .named ? placeholder : nil }
}
