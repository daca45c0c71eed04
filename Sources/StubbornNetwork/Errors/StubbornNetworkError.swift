import Foundation

/// The one error type of this library: what was wrong, where, and what to do about it.
///
///     do { try network.loadStubs() } catch let error as StubbornNetworkError where error.code == .malformedStubFile { … }
///
/// It reaches code under test as the error of its task, and a caller of a throwing function as it is. On Apple's
/// platforms it is an `NSError` there, of the domain `StubbornNetworkError.errorDomain`.
public struct StubbornNetworkError: Error, Sendable {
    /// What kind of thing went wrong. Codes are added in minor versions: switch over them with a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        let number: Int

        /// No stub answers the request.
        public static let unstubbedRequest = Code(description: "unstubbedRequest", number: 1)
        /// The request cannot be answered: no URL, no scheme, no host, or a scheme other than `http` and `https`.
        public static let unsupportedRequest = Code(description: "unsupportedRequest", number: 2)
        /// This kind of task cannot be answered on this platform.
        public static let unsupportedTask = Code(description: "unsupportedTask", number: 3)
        /// The network that a session's configuration belongs to is gone.
        public static let networkGone = Code(description: "networkGone", number: 4)
        /// A variable of the environment has a value that makes no sense.
        public static let invalidEnvironment = Code(description: "invalidEnvironment", number: 5)
        /// The name or the directory of a stub file makes no sense.
        public static let invalidLocation = Code(description: "invalidLocation", number: 6)
        /// The stub file, or its directory, is not there.
        public static let stubFileNotFound = Code(description: "stubFileNotFound", number: 7)
        /// The stub file is there and cannot be read.
        public static let unreadableStubFile = Code(description: "unreadableStubFile", number: 8)
        /// The stub file's content is not an array of stubs.
        public static let malformedStubFile = Code(description: "malformedStubFile", number: 9)
        /// The stub file, or its directory, cannot be written.
        public static let unwritableStubFile = Code(description: "unwritableStubFile", number: 10)
        /// A declared stub cannot answer: a fixture that is not there, a response that is none.
        public static let invalidStub = Code(description: "invalidStub", number: 11)
        /// The recording holds a secret that redaction did not replace.
        public static let secretInRecording = Code(description: "secretInRecording", number: 12)
        /// Several networks intercept `URLSession.shared`, and nothing says which of them a request is for.
        public static let ambiguousInterception = Code(description: "ambiguousInterception", number: 13)
        /// The interception of `URLSession.shared` that a request belongs to has ended, and others are in force.
        public static let interceptionEnded = Code(description: "interceptionEnded", number: 14)

        /// No request came that a test has waited for.
        public static let noSuchExchange = Code(description: "noSuchExchange", number: 15)
        /// A request's body cannot be decoded as what a test takes it for.
        public static let undecodableBody = Code(description: "undecodableBody", number: 16)

        public static func == (left: Self, right: Self) -> Bool { left.number == right.number }
        public func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    public let code: Code

    /// The whole text: what was wrong, where, and what to do about it. Secrets are redacted in it.
    public internal(set) var message: String

    /// The request's URL, where a request is what failed.
    public let url: URL?

    /// The stub file, or the directory, where one is what failed.
    public let file: URL?

    /// The cause, where another error is one.
    public let underlyingError: (any Error)?

    /// Who asked, the caller first, for an error of `StubbornNetwork.response(to:)`; empty for any other. At most 24 lines of
    /// at most 256 bytes; the library's own are left out.
    public internal(set) var callStack: [String] = []

    /// What a layer above knows about the error beyond its text: the report on an unstubbed request.
    let detail: (any Sendable)?

    package init(
        _ code: Code,
        _ message: String,
        url: URL? = nil,
        file: URL? = nil,
        underlyingError: (any Error)? = nil,
        detail: (any Sendable)? = nil
    ) {
        self.code = code
        self.message = message
        self.url = url
        self.file = file
        self.underlyingError = underlyingError
        self.detail = detail
    }
}

extension StubbornNetworkError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { message }
    public var description: String { message }
}

extension StubbornNetworkError: CustomNSError {
    public static var errorDomain: String { "StubbornNetwork.StubbornNetworkError" }
    public var errorCode: Int { code.number }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        info[NSURLErrorFailingURLErrorKey] = url
        info[NSUnderlyingErrorKey] = underlyingError
        info[NSFilePathErrorKey] = file?.path
        return info
    }
}

extension StubbornNetworkError {
    /// The same, said with who asked. The message names the first eight.
    func asked(from stack: [String]) -> Self {
        guard !stack.isEmpty else { return self }
        var error = self
        error.callStack = stack.prefix(24).map { $0.cut() }
        error.message += "\nAsked by:" + error.callStack.prefix(8).map { "\n  \($0)" }.joined()
        return error
    }
}
