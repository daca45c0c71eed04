import Foundation

extension ResponseHead {
    /// The response that the client receives, with `body` behind it.
    ///
    /// A stub's body is what a client received, decoded; its header fields are what went over the wire. Where they
    /// contradict each other the header fields give way: `Content-Encoding` and `Transfer-Encoding` go, and
    /// `Content-Length` becomes the body's. A response that never has a body (HEAD, 204, 304: RFC 9110, section 6.4.1)
    /// keeps them, because there they speak of another response's body.
    ///
    /// - Parameter isWhole: whether the body came to its end. One that broke off keeps the length that it promised.
    func urlResponse(to request: StubRequest, body: Data?, isWhole: Bool = true) -> URLResponse? {
        var fields = headerFields
        if isWhole, !isBodiless(for: request) {
            if let encoding = fields["Content-Encoding"], encoding.lowercased() != "identity" {
                fields["Content-Encoding"] = nil
            }
            fields["Transfer-Encoding"] = nil
            if fields["Content-Length"] != nil {
                fields["Content-Length"] = String(body?.count ?? 0)
            }
        }
        return HTTPURLResponse.forClient(
            url: url ?? request.url,
            statusCode: statusCode,
            headerFields: fields.combined
        )
    }

    private func isBodiless(for request: StubRequest) -> Bool {
        request.method == "HEAD" || statusCode == 204 || statusCode == 304
    }
}
