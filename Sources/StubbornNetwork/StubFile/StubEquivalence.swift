import Foundation

/// The comparison that decides whether an older recording of a request keeps its bytes in the stub file.
///
/// Two recordings are equivalent when status, URL, error, body and all but the volatile header fields are equal. A JSON body
/// that is spelled differently is equal; its length and its checksums are not compared then. Recorded times are not compared
/// either, unless only the new recording has any.
struct StubEquivalence {
    let volatile: VolatileHeaderFields

    func isEquivalent(_ old: Stub, _ new: Stub) -> Bool {
        isEquivalent(old.request, new.request) && isEquivalent(old.response, new.response, to: old.request.url)
    }

    private func isEquivalent(_ old: StubRequest, _ new: StubRequest) -> Bool {
        guard old.method == new.method, old.url.absoluteString == new.url.absoluteString,
            let spelling = spelling(of: old.body, new.body)
        else { return false }
        return areEquivalent(old.headerFields, new.headerFields, spelling)
    }

    private func isEquivalent(_ old: StubResponse, _ new: StubResponse, to requestURL: URL) -> Bool {
        guard old.failure == new.failure, let spelling = spelling(of: try? old.body, try? new.body),
            old.pace != .immediate || new.pace == .immediate
        else { return false }
        guard let oldHead = old.head, let newHead = new.head else { return old.head == nil && new.head == nil }
        return oldHead.statusCode == newHead.statusCode
            && (oldHead.url ?? requestURL).absoluteString == (newHead.url ?? requestURL).absoluteString
            && areEquivalent(oldHead.headerFields, newHead.headerFields, spelling)
    }

    private enum Spelling { case same, different }

    /// Returns a value that indicates whether two equal bodies are spelled the same; `nil` when they are not equal.
    ///
    /// An empty body equals a missing one.
    private func spelling(of old: Data?, _ new: Data?) -> Spelling? {
        let (old, new) = (old ?? Data(), new ?? Data())
        if old == new { return .same }
        guard let oldValue = JSONValue(body: old), oldValue == JSONValue(body: new) else { return nil }
        return .different
    }

    private func areEquivalent(_ old: HeaderFields, _ new: HeaderFields, _ spelling: Spelling) -> Bool {
        if old == new { return true }
        var (old, new) = (volatile.stable(in: old), volatile.stable(in: new))
        if spelling == .different {
            (old, new) = (VolatileHeaderFields.ofBody.stable(in: old), VolatileHeaderFields.ofBody.stable(in: new))
        }
        return old == new
    }
}
