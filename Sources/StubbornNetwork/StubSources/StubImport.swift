import Foundation

/// Stubs from elsewhere on their way into a stub file: without secrets, by the settings of the file's directory.
@_spi(Tools) public struct StubImport: Sendable {
    /// The encoding of bodies that the directory's settings name; `.base64` without settings.
    public let bodyEncoding: BodyEncoding

    private let redactor: Redactor

    /// Reads the settings for a stub file.
    ///
    /// - Parameters:
    ///   - file: the stub file, which need not exist.
    ///   - existing: the stubs that are in it. The numbers of placeholders continue behind theirs.
    ///   - environment: the variables whose values are known to be secrets.
    /// - Throws: `StubbornNetworkError` for an invalid settings file.
    public init(
        into file: URL,
        existing: [Stub] = [],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        do throws(InvalidSetting) {
            let settings = try NetworkSettings(of: file.deletingLastPathComponent())
            bodyEncoding = settings.bodyEncoding
            redactor = Redactor(settings.rules.redaction, environment: environment)
        } catch {
            throw StubbornNetworkError(error)
        }
        for stub in existing { redactor.learn(fromStored: stub) }
    }

    /// Returns the stubs with placeholders in the place of secrets.
    ///
    /// A secret that is recognised in one stub is replaced in all of them.
    ///
    /// - Throws: `StubbornNetworkError` when something still looks like a secret.
    public func redacted(_ stubs: [Stub]) throws -> [Stub] {
        var known = redactor.knownSecretCount
        var result = stubs.map(redactor.redact)
        while known != redactor.knownSecretCount {
            known = redactor.knownSecretCount
            result = result.map(redactor.redact)
        }
        for stub in result { try redactor.scan(stub) }
        return result
    }

    /// The replacements, and what looks random and was left.
    public var report: RedactionReport { redactor.report }
}

@_spi(Tools) extension StubResponse {
    /// Creates a response that ends with an error, after a head and a body if there were any.
    public static func failing(
        domain: String,
        code: Int,
        description: String?,
        head: ResponseHead? = nil,
        body: Data? = nil
    ) -> StubResponse {
        StubResponse(
            failure: StubFailure(domain: domain, code: code, description: description),
            head: head,
            body: head == nil ? nil : body
        )
    }

    /// Returns the response with times, as they are recorded.
    public func timed(secondsToFirstByte: Double, chunks: [(seconds: Double, byteCount: Int)]) -> StubResponse {
        var response = self
        response.pace = Pace(
            secondsToFirstByte: secondsToFirstByte,
            chunks: chunks.map { Pace.Chunk(seconds: $0.seconds, length: $0.byteCount) }
        )
        return response
    }
}
