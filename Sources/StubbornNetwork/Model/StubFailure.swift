import Foundation

/// The error of a stub: domain, code and text.
public struct StubFailure: Sendable {
    /// The domain of the error: `NSURLErrorDomain`.
    public internal(set) var domain: String
    /// The code of the error in its domain.
    public internal(set) var code: Int
    /// The error's localized description; `nil` if it adds nothing to domain and code.
    public internal(set) var description: String?
    /// The error of a declared stub, which is delivered unchanged.
    private(set) var original: (any Error)?

    package init(domain: String, code: Int, description: String? = nil) {
        (self.domain, self.code, self.description) = (domain, code, description)
    }

    /// Creates a failure from an error, which the client receives itself.
    init(_ error: any Error) {
        let bridged = error as NSError
        (domain, code, original) = (bridged.domain, bridged.code, error)
        description = error.completeUserInfo(of: bridged)[NSLocalizedDescriptionKey] as? String
    }
}

extension StubFailure: Equatable {
    /// Returns a Boolean value that indicates whether domain, code and description are equal.
    ///
    /// A stub file stores only these.
    public static func == (left: Self, right: Self) -> Bool {
        (left.domain, left.code, left.description) == (right.domain, right.code, right.description)
    }
}

extension StubFailure {
    static let timedOut = StubFailure(.timedOut, "The request timed out.")
    static let tooManyRedirects = StubFailure(.httpTooManyRedirects, "too many HTTP redirects")
    /// The failure of a request that the client cancelled while it was recorded.
    static let cancelledByClient = StubFailure(.cancelled, "The client cancelled this request.")
    /// The failure of a recorded stub without a response and without an error.
    static let noResponseRecorded = StubFailure(
        .unknown,
        "The recording contains no response to this request. Record it again."
    )

    private init(_ code: URLError.Code, _ description: String) {
        self.init(domain: NSURLErrorDomain, code: code.rawValue, description: description)
    }

    /// The error with domain, code and text only, as in a stub file.
    var asStored: StubFailure { StubFailure(domain: domain, code: code, description: description) }

    /// Returns the error for a request to `url`, as a `URLError` if possible: on Linux an `NSError` is not caught as one.
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

    /// A Boolean value that indicates whether the client cancelled the request while it was recorded.
    var waitsToBeCancelled: Bool {
        original == nil && (domain, code) == (NSURLErrorDomain, StubFailure.cancelledByClient.code)
    }
}

extension StubResponse {
    var waitsToBeCancelled: Bool { failure?.waitsToBeCancelled == true }

    /// A Boolean value that indicates whether the server, or the connection to it, failed.
    var endsWithError: Bool { failure != nil && !waitsToBeCancelled }
}

extension URLError {
    /// Creates the error for a code; `nil` for a code that this platform does not have.
    ///
    /// On Linux an `NSError` of this domain is not a `URLError`, so a stored error has to be created again. There, the
    /// initializer of the code can fail.
    init?(code: Int, userInfo: [String: Any]) {
        guard let code = URLError.Code(rawValue: code) as URLError.Code? else { return nil }
        self.init(code, userInfo: userInfo)
    }
}
