// The faults of a text that is JSON, and not an array of stubs.
extension JSONSyntaxError {
    static func emptyFile() -> Self { .init(at: 0, expected: "an array of stubs", found: "an empty file") }

    static func unknownEncoding(_ name: String) -> Self {
        .init(at: 0, expected: "UTF-8 text", found: "bytes that look like \(name), and are not")
    }

    static func endOfStubs(at offset: Int) -> Self { .init(at: offset, expected: "nothing after the array of stubs") }

    static func stubs(at offset: Int) -> Self { .init(at: offset, expected: "an array of stubs") }

    static func stub(at offset: Int) -> Self { .init(at: offset, expected: "a stub (an object with \"request\")") }

    static func missing(_ key: String, in owner: String, at offset: Int) -> Self {
        .init(at: offset, expected: "\"\(key)\" in this \(owner)", found: "none")
    }

    static func wrongType(_ expected: String, under key: String, at offset: Int) -> Self {
        .init(at: offset, expected: "\(expected) under \"\(key)\"")
    }

    static func headerField(at offset: Int) -> Self {
        .init(at: offset, expected: "a header field as \"name[:::]value\"")
    }

    static func twoBodies(_ first: String, _ second: String, at offset: Int) -> Self {
        .init(at: offset, expected: "one body", found: "both \"\(first)\" and \"\(second)\"")
    }
}
