import Foundation

extension StubResponse {
    /// The response that the client receives, with `body` behind it; `nil` where there is none that Foundation can make.
    ///
    /// Making one takes longer than all the rest of a playback, so that a stub keeps the one that it gave last. What a
    /// redirect or a challenge says is made anew for each request.
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
    /// The response that the client receives.
    ///
    /// A stub's body is what a client received, decoded; its header fields are what went over the wire. Where they
    /// contradict each other the header fields give way: `Content-Encoding` and `Transfer-Encoding` go, and
    /// `Content-Length` becomes the body's. A response that never has a body (HEAD, 204, 304: RFC 9110, section 6.4.1)
    /// keeps them, because there they speak of another response's body; one whose body broke off keeps the length that it
    /// promised.
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

extension URLResponse {
    /// Whether answering with this response takes the session: its delegate, its cookies or its credentials.
    var needsSession: Bool {
        guard let response = self as? HTTPURLResponse else { return false }
        switch response.statusCode {
        case 300..<400, 401, 407: return true
        default: return response.value(forHTTPHeaderField: "Set-Cookie") != nil
        }
    }
}
