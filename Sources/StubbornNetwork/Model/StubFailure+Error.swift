import Foundation

extension StubFailure {
    /// The failure of a request that waited too long.
    static let timedOut = StubFailure(
        domain: NSURLErrorDomain,
        code: URLError.Code.timedOut.rawValue,
        description: "The request timed out."
    )

    /// The failure of a request that was redirected too often.
    static let tooManyRedirects = StubFailure(
        domain: NSURLErrorDomain,
        code: URLError.Code.httpTooManyRedirects.rawValue,
        description: "too many HTTP redirects"
    )

    /// The failure of a request that the client cancelled while it was recorded.
    static let cancelledByClient = StubFailure(
        domain: NSURLErrorDomain,
        code: URLError.Code.cancelled.rawValue,
        description: "The client cancelled this request."
    )

    /// Returns the error that the client receives for a request to `url`: that of a declared stub, or else a new one.
    ///
    /// On Linux `catch let error as URLError` does not catch an `NSError` of that domain.
    func error(failing url: URL?) -> any Error {
        if let original {
            guard domain == NSURLErrorDomain, !(original is URLError) else { return original }
            return URLError(code: code, userInfo: (original as NSError).userInfo) ?? original
        }
        var userInfo: [String: Any] = [:]
        userInfo[NSLocalizedDescriptionKey] = description
        if domain == NSURLErrorDomain {
            userInfo[NSURLErrorFailingURLErrorKey] = url
            // The constant for this key is deprecated; Foundation still sets it, and code still reads it.
            userInfo["NSErrorFailingURLStringKey"] = url?.absoluteString
            if let error = URLError(code: code, userInfo: userInfo) { return error }
        }
        return NSError(domain: domain, code: code, userInfo: userInfo)
    }
}

extension StubFailure {
    /// A Boolean value that indicates whether the client cancelled the request while it was recorded.
    var waitsToBeCancelled: Bool {
        original == nil && code == StubFailure.cancelledByClient.code && domain == NSURLErrorDomain
    }
}

extension StubResponse {
    /// A Boolean value that indicates whether the client cancelled the request while it was recorded.
    var waitsToBeCancelled: Bool { failure?.waitsToBeCancelled == true }

    /// A Boolean value that indicates whether the server, or the way to it, failed.
    var isBroken: Bool { failure != nil && !waitsToBeCancelled }
}
