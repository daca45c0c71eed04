/// A fault in JSON text: the text that the grammar expects, and the position where it is missing.
package struct JSONSyntaxError: Error, Equatable {
    /// The offset of the byte at which the fault is.
    package var offset: Int

    package let expected: String

    /// A description of the text that is there instead; `nil` if an excerpt at `offset` shows it.
    let found: String?

    /// The advice that goes with the fault; `nil` for the usual one.
    var advice: String?

    init(at offset: Int, expected: String, found: String? = nil) {
        (self.offset, self.expected, self.found) = (offset, expected, found)
    }

    /// Returns the fault of a repeated key in an object of a file: readers differ in which one counts.
    static func repeatedKey(_ key: String, at offset: Int) -> Self {
        .init(at: offset, expected: "each key once", found: "\(key.cut().debugDescription) again")
    }

    static func value(at offset: Int) -> Self { .init(at: offset, expected: "a value") }

    static func closingQuote(at offset: Int) -> Self { .init(at: offset, expected: "a closing quotation mark") }

    static func escape(_ escape: String, at offset: Int) -> Self {
        .init(at: offset, expected: "an escape such as \\n or \\u00e9", found: escape)
    }

    /// Returns the fault of an unexpected value under a key.
    static func wrongType(_ expected: String, under key: String, at offset: Int) -> Self {
        .init(at: offset, expected: "\(expected) under \"\(key)\"")
    }
}
