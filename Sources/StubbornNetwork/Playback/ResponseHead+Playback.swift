import Foundation

extension StubResponse {
    /// Returns the response that the client receives before `body`; `nil` if Foundation cannot make one.
    ///
    /// Making a response takes longer than the rest of a playback, so a stub keeps its latest one for the next equal
    /// request. Redirects and challenges are made anew for each request.
    func played(to request: StubRequest, body: Data?) -> PlayedResponse? {
        guard let head else { return nil }
        let circumstances = PlayedResponse.Circumstances(
            url: head.url ?? request.url,
            byteCount: body?.count ?? 0,
            isBodiless: head.isBodiless(for: request),
            isWhole: failure == nil
        )
        let last = played.withLock { $0 }
        if let last, last.circumstances == circumstances { return last }
        guard let response = head.urlResponse(in: circumstances) else { return nil }
        let made = PlayedResponse(
            circumstances: circumstances,
            response: response,
            needsSession: response.needsSession
        )
        if HTTPURLResponse.mayBeShared, head.statusCode < 300 { played.withLock { $0 = made } }
        return made
    }
}

extension ResponseHead {
    /// Returns the response that the client receives.
    ///
    /// A stub has the decoded body, but the header fields of the encoded one. So `Content-Encoding` and
    /// `Transfer-Encoding` are left out, and `Content-Length` is the length of the decoded body. They stay in two
    /// cases:
    /// - A response that never has a body (HEAD, 204, 304: RFC 9110, section 6.4.1) describes that of another response.
    /// - A response whose body is incomplete states the length of the complete one.
    fileprivate func urlResponse(in circumstances: PlayedResponse.Circumstances) -> HTTPURLResponse? {
        var fields = headerFields
        if circumstances.isWhole, !circumstances.isBodiless {
            if let encoding = fields["Content-Encoding"], encoding.lowercased() != "identity" {
                fields["Content-Encoding"] = nil
            }
            fields["Transfer-Encoding"] = nil
            if fields["Content-Length"] != nil {
                fields["Content-Length"] = String(circumstances.byteCount)
            }
        }
        return HTTPURLResponse.forClient(
            url: circumstances.url,
            statusCode: statusCode,
            headerFields: fields.combined
        )
    }

    fileprivate func isBodiless(for request: StubRequest) -> Bool {
        statusCode == 204 || statusCode == 304 || request.method == "HEAD"
    }
}
