import Foundation

/// The form in which requests are compared: every secret, and every placeholder for one, is `REDACTED`, a JSON number `9`.
///
/// A live request has the same form as its recording, whatever the placeholder in there is called and numbered. For many
/// requests, it is made once.
struct MatchingForm {
    private let redaction: Redaction
    private let rewriter: Rewriter?

    init(_ redaction: Redaction) {
        self.redaction = redaction
        rewriter = redaction.isNothing ? nil : Rewriter(redaction, mode: .unnumbered)
    }

    func of(_ request: StubRequest) -> StubRequest {
        // A copy: what one request holds says nothing about the next.
        guard var rewriter, !redaction.plainlyHasNothing(in: request) else { return request }
        return rewriter.rewrite(request)
    }

    /// Returns the form in which what signatures bring along (times, nonces, states, challenges) does not count; `nil`
    /// for a request without any of it.
    func loose(_ request: StubRequest) -> StubRequest? {
        guard var rewriter, Self.mayBeSigned(request) else { return nil }
        rewriter.isLoose = true
        let form = rewriter.rewrite(request)
        return rewriter.hasCompanions ? form : nil
    }

    /// Returns a Boolean value that indicates whether names of what signatures bring along may be in a request.
    static func mayBeSigned(_ request: StubRequest) -> Bool {
        func isIn(_ bytes: Bytes) -> Bool {
            (SecretList.nonces + SecretList.signatureNames).contains { bytes.position(of: $0, from: 0) != nil }
        }
        if request.url.query?.withBytes(isIn) == true { return true }
        guard let body = request.body, body.count < 65_536 else { return false }
        return body.withBytes(isIn)
    }
}

extension Redaction {
    /// Returns the request as it is compared.
    package func matchingForm(of request: StubRequest) -> StubRequest {
        // Before a rewriter is made.
        if isNothing || plainlyHasNothing(in: request) { return request }
        return MatchingForm(self).of(request)
    }

    /// Returns the stub without the names and numbers of its placeholders.
    ///
    /// `REDACTED-token-7` becomes `REDACTED`, and a number becomes as many nines. Everything else stays.
    ///
    /// Numbers count secrets in the order in which they were seen, which differs from recording to recording where
    /// requests overlap. Two recordings that have the same form say the same.
    func namelessForm(of stub: Stub) -> Stub {
        guard !isNothing else { return stub }
        var rewriter = Rewriter(self, mode: .nameless)
        return rewriter.rewrite(stub)
    }

    /// Returns a Boolean value that indicates whether no rule can find anything in a request, without searching it.
    ///
    /// Such a request, as most requests of most tests are, has neither header fields nor body. Its URL has no query, and
    /// consists of small letters and digits in words that are too short for a token.
    func plainlyHasNothing(in request: StubRequest) -> Bool {
        guard request.body == nil, request.headerFields.isEmpty, patterns.isEmpty, knownValues.isEmpty else {
            return false
        }
        return request.url.absoluteString.withBytes { bytes in
            var (length, digits) = (0, 0)
            for byte in bytes {
                switch byte {
                case .slash, .dot, .colon: (length, digits) = (0, 0)
                case _ where byte.isLowercase || byte.isDigit || byte == .hyphen || byte == .underscore:
                    length += 1
                    digits += byte.isDigit ? 1 : 0
                default: return false
                }
                // A token, by its length; or what looks random, if a name before it says so.
                if length >= 15 || (digits > 1 && length >= 7) { return false }
            }
            return true
        }
    }
}
