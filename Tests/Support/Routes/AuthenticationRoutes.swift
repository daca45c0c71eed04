import Foundation

extension LoopbackServer {
    /// The routes that need a password or a token.
    ///
    /// They answer `welcome USER` (for a token, `welcome`), or 401 with a challenge for the realm `test`.
    ///
    /// - `/basic-auth/ada/secret` (RFC 7617)
    /// - `/bearer/TOKEN` (RFC 6750)
    static let authenticationRoutes: [String: Route] = [
        "basic-auth": { request, parameters in
            guard parameters.count == 2 else { return nil }
            let credentials = Data("\(parameters[0]):\(parameters[1])".utf8).base64EncodedString()
            return request.credentials(scheme: "Basic") == credentials
                ? .text("welcome \(parameters[0])")
                : challenge(#"Basic realm="test""#)
        },
        "bearer": { request, parameters in
            guard parameters.count == 1 else { return nil }
            return request.credentials(scheme: "Bearer") == parameters[0]
                ? .text("welcome")
                : challenge(#"Bearer realm="test""#)
        },
    ]

    private static func challenge(_ challenge: String) -> Response {
        .text("unauthorized", status: 401, headers: [("WWW-Authenticate", challenge)])
    }
}

extension LoopbackServer.Request {
    /// What follows the scheme in the `Authorization` field; nil if there is none or it is of another scheme.
    fileprivate func credentials(scheme: String) -> String? {
        guard let parts = header("Authorization")?.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == scheme.lowercased()
        else { return nil }
        return String(parts[1])
    }
}
