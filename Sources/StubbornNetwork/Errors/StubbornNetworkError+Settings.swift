import Foundation

extension StubbornNetworkError {
    /// Creates the error for an invalid setting of the environment or of a stub directory.
    init(_ setting: InvalidSetting) {
        let message: String
        switch setting {
        case .unknownRecordMode(let value):
            message = """
                STUB_RECORD_MODE is "\(value.prefix(80))", which is not a record mode. Every request fails until it is one \
                of: \(RecordMode.allCases.map(\.rawValue).joined(separator: ", ")).
                """
        case .unknownSnapshotMode(let value):
            message = """
                STUB_SNAPSHOTS is "\(value.prefix(80))", which is not a snapshot mode. Set it to recording, which writes \
                request snapshots again, or do not set it.
                """
        case .missingVariable(let missing, let present):
            message = """
                \(present.rawValue) is set and \(missing.rawValue) is not. Set both to keep stubs in a file, or neither to \
                keep them in memory.
                """
        case .nowhereToRecord(let mode):
            message = """
                STUB_RECORD_MODE is \(mode.rawValue), and neither STUB_NAME nor STUB_PATH is set: the recording would be \
                lost when the process ends. Set both.
                """
        case .unreadableReplacements(let path):
            message = """
                STUB_REPLACEMENTS is \(path.quoted()), which is not a JSON file with an object of paths: each stub file, \
                and the file to play in its place. Every request fails until it is one, or the variable is not set.
                """
        case .unusableName(let name):
            self = .unusableName(name, origin: "STUB_NAME")
            return
        case .settingsFile(let path, let problem):
            let file = URL(fileURLWithPath: path)
            message = """
                \(file.relativeDisplayPath) cannot be read as the settings of a stub directory: \(problem). Every request \
                fails until it is corrected.
                """
            self.init(.invalidSettings, message, file: file)
            return
        }
        self.init(.invalidSettings, message)
    }

    /// Returns the error for a name that does not make a stub file, and where it is from: `STUB_NAME`, `in Stubs`.
    package static func unusableName(_ name: String, origin: String) -> Self {
        Self(
            .invalidSettings,
            """
            No stub file can be named \(name.quoted(upTo: 80)) (\(origin)). The name needs a character other than brackets \
            and hyphens, and the directory must not be empty.
            """
        )
    }

    /// Returns the error for a name and a directory that do not make a stub file.
    package static func unusableName(_ name: String, inDirectory path: String) -> Self {
        unusableName(name, origin: path.isEmpty ? "in an empty directory" : "in \(path)")
    }

    package static func noFileURL(_ url: URL) -> Self {
        Self(.invalidSettings, "\(url.absoluteString) is not a file URL. Create it with URL(fileURLWithPath:).")
    }
}

/// The warning that nothing is recorded on continuous integration, written once in a process.
enum ContinuousIntegrationWarning {
    private static let isGiven = Lock(false)

    /// Writes the warning for the mode that code asks for, unless the process has written it already.
    static func writeOnce(_ mode: RecordMode) {
        let isFirst = isGiven.withLock { isGiven in
            defer { isGiven = true }
            return !isGiven
        }
        guard isFirst else { return }
        StandardError.write(
            """
            warning: the record mode is playback, not \(mode.rawValue), because CI is set. To record here, set \
            STUB_RECORD_MODE=\(mode.rawValue).
            """
        )
    }
}
