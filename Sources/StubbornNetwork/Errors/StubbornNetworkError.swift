import Foundation

/// An error of this library, which says what went wrong, where, and what to do about it.
///
///     do {
///         try network.loadStubs()
///     } catch let error as StubbornNetworkError where error.code == .malformedStubFile { … }
///
/// Functions throw it, and a session's task fails with it. On Apple's platforms the task's error is an `NSError` instead.
/// ``init(_:)`` finds this error in it, and works on every platform:
///
///     do {
///         _ = try await network.session.data(from: url)
///     } catch {
///         print(StubbornNetworkError(error)?.code ?? "another error")
///     }
public struct StubbornNetworkError: Error, Sendable {
    /// The kind of an error.
    ///
    /// Minor versions may add codes, so a `switch` over them needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as `unstubbedRequest`.
        public let description: String
        let number: Int
        /// No stub answers the request.
        public static let unstubbedRequest = Code(description: "unstubbedRequest", number: 1)
        /// The request cannot be answered: its URL is missing, has no host, or has a scheme other than `http` and `https`; or
        /// the platform cannot answer this kind of task.
        public static let unsupportedRequest = Code(description: "unsupportedRequest", number: 2)
        /// Nothing can answer any more: the session's network was freed, its test ended, or the request's interception
        /// of `URLSession.shared` ended.
        public static let networkGone = Code(description: "networkGone", number: 3)
        /// An environment variable, a settings file (`.stubborn.json`), or the name or directory of a stub file is invalid.
        public static let invalidSettings = Code(description: "invalidSettings", number: 4)
        /// The stub file, or its directory, does not exist.
        public static let stubFileNotFound = Code(description: "stubFileNotFound", number: 5)
        /// The stub file exists, but cannot be read.
        public static let unreadableStubFile = Code(description: "unreadableStubFile", number: 6)
        /// The stub file is not an array of stubs.
        public static let malformedStubFile = Code(description: "malformedStubFile", number: 7)
        /// The stub file, or its directory, cannot be written.
        public static let unwritableStubFile = Code(description: "unwritableStubFile", number: 8)
        /// A declared stub cannot answer: its fixture is missing, or its response is invalid.
        public static let invalidStub = Code(description: "invalidStub", number: 9)
        /// The recording contains a secret that redaction did not replace.
        public static let secretInRecording = Code(description: "secretInRecording", number: 10)
        /// Several networks intercept `URLSession.shared`, and the request cannot be assigned to one of them.
        public static let ambiguousInterception = Code(description: "ambiguousInterception", number: 11)
        /// No request matched while a test waited for one.
        public static let noSuchExchange = Code(description: "noSuchExchange", number: 12)
        /// A request's body cannot be decoded as the expected type.
        public static let undecodableBody = Code(description: "undecodableBody", number: 13)
        /// The client cancelled the request during the recording, but not now.
        public static let notCancelled = Code(description: "notCancelled", number: 14)
        /// The request for the real server contains a placeholder for a secret of the recording.
        public static let placeholderInRequest = Code(description: "placeholderInRequest", number: 15)
        /// `StubbornNetwork.current` was used outside a test with a network.
        public static let noCurrentNetwork = Code(description: "noCurrentNetwork", number: 16)
        /// A version of Foundation or Swift Testing lacks a private part that this library reads.
        public static let unsupportedVersion = Code(description: "unsupportedVersion", number: 17)

        static let all: [Code] = [
            .unstubbedRequest, .unsupportedRequest, .networkGone, .invalidSettings, .stubFileNotFound,
            .unreadableStubFile, .malformedStubFile, .unwritableStubFile, .invalidStub, .secretInRecording,
            .ambiguousInterception, .noSuchExchange, .undecodableBody, .notCancelled, .placeholderInRequest,
            .noCurrentNetwork, .unsupportedVersion,
        ]
    }

    /// The kind of the error.
    public let code: Code

    /// The text of the error.
    package internal(set) var message: String
    /// The URL of the request that failed; `nil` for an error that is not about a request.
    public let url: URL?
    /// The stub file or the directory; `nil` for an error that is not about one.
    public let file: URL?
    /// The error that caused this one.
    public let underlyingError: (any Error)?

    /// A value that a higher layer attaches: the report on an unstubbed request.
    let detail: (any Sendable)?

    package init(
        _ code: Code,
        _ message: String,
        url: URL? = nil,
        file: URL? = nil,
        underlyingError: (any Error)? = nil,
        detail: (any Sendable)? = nil
    ) {
        (self.code, self.message, self.url, self.file) = (code, message, url, file)
        (self.underlyingError, self.detail) = (underlyingError, detail)
    }
}

extension StubbornNetworkError: LocalizedError, CustomStringConvertible {
    /// The description.
    public var errorDescription: String? { message }
    /// The whole text: what went wrong, where, and what to do about it.
    ///
    /// Secrets are redacted.
    public var description: String { message }
}

extension StubbornNetworkError: CustomNSError {
    /// The domain of the error as an `NSError`.
    public static var errorDomain: String { "StubbornNetwork.StubbornNetworkError" }
    /// The number of the code, as the code of the `NSError`.
    public var errorCode: Int { code.number }

    /// The key of the error itself in `errorUserInfo`.
    private static var valueKey: String { "StubbornNetworkError" }

    /// The description and the error itself, and the URL, the underlying error and the file path, if the error has
    /// them.
    ///
    /// The URL loading system of Apple's platforms makes a new `NSError` from the domain, the code and this dictionary.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message, Self.valueKey: self]
        info[NSURLErrorFailingURLErrorKey] = url
        info[NSUnderlyingErrorKey] = underlyingError
        info[NSFilePathErrorKey] = file?.path
        return info
    }
}

extension StubbornNetworkError {
    /// Creates the library's error from the error of a session's task; `nil` if `error` is a different error.
    ///
    ///     catch { #expect(StubbornNetworkError(error)?.code == .unstubbedRequest) }
    ///
    /// On Linux `error` is a `StubbornNetworkError`. On Apple's platforms it is an `NSError` that contains one, or has
    /// one as an underlying error. If the URL loading system has removed it, the code, the message, the URL, the file
    /// and the underlying error are taken from the `NSError`, and `report` is `nil`.
    public init?(_ error: any Error) {
        let bridged = error as NSError
        let info = bridged.userInfo
        if let value = error as? Self ?? info[Self.valueKey] as? Self {
            self = value
            return
        }
        guard bridged.domain == Self.errorDomain, let code = Code.all.first(where: { $0.number == bridged.code }) else {
            // With `usesClassicLoadingMode == false`, the protocol's error is the underlying error of the system's
            // error.
            guard let cause = info[NSUnderlyingErrorKey] as? any Error, let value = Self(cause) else { return nil }
            self = value
            return
        }
        self.init(
            code,
            info[NSLocalizedDescriptionKey] as? String ?? bridged.localizedDescription,
            url: info[NSURLErrorFailingURLErrorKey] as? URL,
            file: (info[NSFilePathErrorKey] as? String).map { URL(fileURLWithPath: $0) },
            underlyingError: info[NSUnderlyingErrorKey] as? any Error
        )
    }
}

extension URL {
    /// The path for a message: relative to the current directory for a file inside it, absolute otherwise.
    package var relativeDisplayPath: String {
        let current = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path
    }
}

extension String {
    /// A path of at most 256 bytes; a longer one begins with `…` and keeps its end, with the name of the file.
    var shortenedPath: String { utf8.count > 256 ? String(String(reversed()).cut().reversed()) : self }
}

extension [String] {
    /// Returns the first elements, and the number of the others: `and 3 more`.
    package func listed(upTo maximumCount: Int) -> [String] {
        count <= maximumCount ? self : prefix(maximumCount) + ["and \(count - maximumCount) more"]
    }
}
