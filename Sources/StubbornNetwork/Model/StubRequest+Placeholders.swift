extension Placeholder {
    /// Returns the texts in a request that look like placeholders of digits.
    static func hidden(in request: StubRequest) -> [String] {
        let found = request.url.absoluteString.withBytes { hidden(in: $0) }
        return Set(found + (request.body?.withBytes { hidden(in: $0) } ?? [])).sorted()
    }
}
