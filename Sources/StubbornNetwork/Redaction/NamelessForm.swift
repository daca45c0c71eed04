extension Redaction {
    /// Returns the stub without the names and numbers of its placeholders.
    ///
    /// `REDACTED-token-7` becomes `REDACTED`, and a number becomes as many nines. Everything else stays.
    ///
    /// Numbers count secrets in the order in which they were seen, which differs from recording to recording where
    /// requests overlap. Two recordings with the same form are equal apart from these numbers.
    func namelessForm(of stub: Stub) -> Stub {
        guard !isNothing else { return stub }
        var rewriter = Rewriter(self, mode: .nameless)
        var result = rewriter.rewrite(stub)
        result.request.placeholders = nil
        return result
    }

    /// Returns the request without the names and numbers of its placeholders.
    package func namelessForm(of request: StubRequest) -> StubRequest {
        guard !isNothing else { return request }
        var rewriter = Rewriter(self, mode: .nameless)
        var result = rewriter.rewrite(request)
        result.placeholders = nil
        return result
    }

    /// Returns the values in a stored request that differ each time, by their names.
    ///
    /// Older files have them as they were. In newer ones they are placeholders.
    func volatileValues(in request: StubRequest) -> [String] {
        guard VolatileNames.mayBe(in: request) else { return [] }
        var rewriter = Rewriter(.none, mode: .learning)
        _ = rewriter.rewrite(request)
        return rewriter.volatileValues
    }
}
