import Foundation

/// The errors for invalid settings of the environment or of a stub directory.
extension StubbornNetworkError {
    static func unknownRecordMode(_ value: String) -> Self {
        let message = """
            STUB_RECORD_MODE is "\(value.prefix(80))", which is not a record mode. Every request fails until you set it to one \
            of: \(RecordMode.allCases.map(\.rawValue).joined(separator: ", ")).
            """
        return Self(.invalidSettings, message)
    }

    static func missingVariable(
        _ missing: EnvironmentSettings.Variable,
        beside present: EnvironmentSettings.Variable
    ) -> Self {
        let message = """
            \(present.rawValue) is set and \(missing.rawValue) is not. Set both to keep stubs in a file, or neither to \
            keep them in memory.
            """
        return Self(.invalidSettings, message)
    }

    static func nowhereToRecord(_ mode: RecordMode) -> Self {
        let message = """
            STUB_RECORD_MODE is \(mode.rawValue), and neither STUB_NAME nor STUB_PATH is set: the recording would be \
            lost when the process ends. Set both.
            """
        return Self(.invalidSettings, message)
    }

    static func unreadableReplacements(_ path: String) -> Self {
        let message = """
            STUB_REPLACEMENTS is \(path.quoted()), which is not a JSON file that maps stub files to the files to \
            play instead. Every request fails until you correct the file or unset the variable.
            """
        return Self(.invalidSettings, message)
    }

    /// Returns the error for a settings file with a problem.
    static func settingsFile(_ path: String, _ problem: String) -> Self {
        let file = URL(fileURLWithPath: path)
        let message = """
            \(file.relativeDisplayPath) is not a valid settings file for a stub directory: \(problem). Every request \
            fails until it is corrected.
            """
        return Self(.invalidSettings, message, file: file)
    }

    /// Returns the error for a name that cannot be used for a stub file.
    ///
    /// `origin` is `STUB_NAME` or `in Stubs`, for example.
    static func unusableName(_ name: String, origin: String) -> Self {
        let message = """
            No stub file can be named \(name.quoted(upTo: 80)) (\(origin)). The name needs a character other than brackets \
            and hyphens, and the directory must not be empty.
            """
        return Self(.invalidSettings, message)
    }

    /// Returns the error for two stub files that a file system may treat as the same file.
    static func namesDifferInCase(_ name: String, _ other: String, in directory: URL) -> Self {
        let message = """
            The stub files \(name) and \(other) in \(directory.relativeDisplayPath) differ only in case, and many file systems \
            treat them as one file. Rename one of the tests, or rename \(other) to \(name) if the test was renamed.
            """
        return Self(.invalidSettings, message)
    }
}

extension String {
    /// Returns the warning that nothing is recorded on continuous integration, although code sets a mode that records.
    package static func notRecorded(by mode: RecordMode) -> String {
        """
        warning: the record mode is playback, not \(mode.rawValue), because CI is set. To record here, set \
        STUB_RECORD_MODE=\(mode.rawValue).
        """
    }
}
