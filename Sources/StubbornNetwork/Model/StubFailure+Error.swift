import Foundation

extension StubFailure {
    /// What a session ends a request in that waits for too long.
    static let timedOut = StubFailure(
        domain: NSURLErrorDomain,
        code: URLError.Code.timedOut.rawValue,
        description: "The request timed out."
    )

    /// What a session ends a redirect in that leads on and on.
    static let tooManyRedirects = StubFailure(
        domain: NSURLErrorDomain,
        code: URLError.Code.httpTooManyRedirects.rawValue,
        description: "too many HTTP redirects"
    )

    /// The error that the client receives for a request to `url`.
    ///
    /// A declared stub's is the one it was given. A recorded one is made anew from domain and code: as a `URLError` where
    /// it is one, because on Linux an `NSError` of that domain is none and `catch let error as URLError` would miss it.
    func error(failing url: URL?) -> any Error {
        if let original {
            guard domain == NSURLErrorDomain, !(original is URLError) else { return original }
            return URLError(code: code, userInfo: (original as NSError).userInfo) ?? original
        }
        var userInfo: [String: Any] = [:]
        userInfo[NSLocalizedDescriptionKey] = description
        guard domain == NSURLErrorDomain else { return NSError(domain: domain, code: code, userInfo: userInfo) }
        userInfo[NSURLErrorFailingURLErrorKey] = url
        // The constant for this key is deprecated; Foundation still sets it, and code still reads it.
        userInfo["NSErrorFailingURLStringKey"] = url?.absoluteString
        return URLError(code: code, userInfo: userInfo) ?? NSError(domain: domain, code: code, userInfo: userInfo)
    }
}
