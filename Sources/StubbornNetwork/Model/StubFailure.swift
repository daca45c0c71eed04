import Foundation

/// An error as stubs keep it: domain, code and text.
public struct StubFailure: Sendable {
    public internal(set) var domain: String
    public internal(set) var code: Int

    /// The error's localized description; `nil` where it says no more than domain and code.
    public internal(set) var description: String?

    /// The error that a declared stub was given: delivered as it is, so that its type survives.
    let original: (any Error)?

    /// An error known by its domain and code alone, such as a recorded one.
    init(domain: String, code: Int, description: String? = nil) {
        self.domain = domain
        self.code = code
        self.description = description
        original = nil
    }

    /// An error in hand. Its type, and all it carries, reach the client.
    init(_ error: any Error) {
        let bridged = error as NSError
        domain = bridged.domain
        code = bridged.code
        description = bridged.userInfo[NSLocalizedDescriptionKey] as? String
        original = error
    }
}

extension StubFailure: Hashable {
    /// Equal when domain, code and description are: all that a stub file keeps.
    public static func == (left: Self, right: Self) -> Bool {
        left.domain == right.domain && left.code == right.code && left.description == right.description
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(domain)
        hasher.combine(code)
        hasher.combine(description)
    }
}
