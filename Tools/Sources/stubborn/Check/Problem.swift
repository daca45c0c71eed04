import Foundation

/// A problem that `stubborn check` found, with its file and line.
struct Problem: Encodable, Equatable {
    /// The kind of the problem: the name for `--ignore`, and the rule in SARIF.
    enum Kind: String, CaseIterable, Encodable {
        case unreadableFile = "unreadable-file"
        case invalidSettings = "invalid-settings"
        case leftoverJournal = "leftover-journal"
        case secret
        case unusedFile = "unused-file"
        case unusedStub = "unused-stub"
        case recordedError = "recorded-error"
        case largeBody = "large-body"
        case oldRecording = "old-recording"
        case sameName = "same-name"
        case contractBreach = "openapi"
        case contractRemark = "openapi-remark"
        case undocumented = "openapi-undocumented"

        /// One sentence about the problem in general.
        var summary: String {
            switch self {
            case .unreadableFile: "A stub file cannot be read, so its tests fail."
            case .invalidSettings: "A .stubborn.json is not valid, so every request in its directories fails."
            case .leftoverJournal: "An interrupted recording left a journal next to its stub file."
            case .secret: "A stub contains a value that looks like a secret."
            case .unusedFile: "No test of the run used a stub file."
            case .unusedStub: "No request of the run used a stub."
            case .recordedError: "An error was recorded instead of a response."
            case .largeBody: "A body is larger than allowed."
            case .oldRecording: "A stub file was last recorded too long ago."
            case .sameName: "The names of two files differ only in case: on macOS and Windows, they are one file."
            case .contractBreach: "A recorded request or response violates the OpenAPI document."
            case .contractRemark: "A recording has a format, or a property, that the OpenAPI document advises against."
            case .undocumented: "A part of a recording is missing from the OpenAPI document."
            }
        }

        /// The severity of the problem: an error breaks tests or reveals a secret.
        var severity: Severity {
            switch self {
            case .unreadableFile, .invalidSettings, .leftoverJournal, .secret, .sameName, .contractBreach: .error
            case .unusedFile, .unusedStub, .recordedError, .largeBody, .oldRecording, .contractRemark, .undocumented:
                .warning
            }
        }
    }

    /// The two severities, with the names that every format uses.
    enum Severity: String, Encodable {
        case error, warning
    }

    var kind: Kind
    /// The severity of the kind.
    var severity: Severity
    /// The path of the file, as it was passed to the command.
    var file: String
    /// The line in the file, from 1; `nil` for a problem of the whole file.
    var line: Int?
    /// The position of the stub in its file, from 1; `nil` for a problem of the whole file.
    var stub: Int?
    /// The problem and its remedy.
    var message: String

    init(kind: Kind, file: String, line: Int?, stub: Int?, message: String) {
        (self.kind, severity, self.file, self.line, self.stub) = (kind, kind.severity, file, line, stub)
        self.message = message
    }
}
