import Foundation

/// The error of a stub: domain, code and text.
public struct StubFailure: Sendable {
    /// The domain of the error: `NSURLErrorDomain`.
    public internal(set) var domain: String
    /// The code of the error in its domain.
    public internal(set) var code: Int

    /// The error's localized description; `nil` if it adds nothing to domain and code.
    public internal(set) var description: String?

    /// The error that a declared stub was given, and that is delivered as it is.
    let original: (any Error)?

    /// Creates a failure from domain and code, as they are recorded.
    init(domain: String, code: Int, description: String? = nil) {
        self.domain = domain
        self.code = code
        self.description = description
        original = nil
    }

    /// Creates a failure from an error, which the client receives itself.
    init(_ error: any Error) {
        let bridged = error as NSError
        domain = bridged.domain
        code = bridged.code
        description = bridged.userInfo[NSLocalizedDescriptionKey] as? String
        original = error
    }
}

extension StubFailure: Hashable {
    /// Returns a Boolean value that indicates whether domain, code and description are equal.
    ///
    /// A stub file keeps only these.
    public static func == (left: Self, right: Self) -> Bool {
        left.domain == right.domain && left.code == right.code && left.description == right.description
    }

    /// Combines domain, code and description.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(domain)
        hasher.combine(code)
        hasher.combine(description)
    }
}
