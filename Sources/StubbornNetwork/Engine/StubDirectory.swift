import Foundation

/// The settings of a stub directory as the `stubborn` command uses them: to redact, to check and to convert its files.
@_spi(Tools) public struct StubDirectory: Sendable {
    private let settings: NetworkSettings

    /// Reads the settings that hold for the stub files of a directory.
    ///
    /// - Throws: `StubbornNetworkError` for an invalid settings file.
    public init(at directory: URL) throws {
        do {
            settings = try NetworkSettings(of: directory)
        } catch {
            throw StubbornNetworkError(error)
        }
    }

    /// The file with the settings; `nil` when there is none.
    public var settingsFile: URL? { settings.directory.file }

    /// The encoding that bodies are recorded in.
    public var bodyEncoding: BodyEncoding { settings.bodyEncoding }

    /// The rules by which secrets are recognised.
    public var redaction: Redaction { settings.rules.redaction }

    /// The header fields that differ with every recording.
    public var volatileHeaderFields: VolatileHeaderFields { settings.volatileHeaderFields }

    /// Returns the parts of a stored stub in which there seems to be a secret, each with the rule that finds it.
    ///
    /// Redacts the stub once more, and searches it as a recording is searched before it is written.
    public func secrets(in stub: Stub) -> [String] {
        let redactor = Redactor(redaction)
        guard redactor.redact(stub) == stub else {
            return redactor.report.replacements.map { "\($0.part) (\($0.rule))" }
        }
        var look = LastLook(redaction)
        try? look.search(stub)
        return look.finding.map { ["\($0.part) (\($0.rule))"] } ?? []
    }
}
