extension UnstubbedRequestReport {
    /// Returns the shell command that records the missing stub, or in `.recording` the whole test.
    ///
    /// - Parameters:
    ///   - mode: the mode to record in.
    ///   - stubName: the value of `STUB_NAME`; `nil` for a network that code configures.
    ///   - stubPath: the value of `STUB_PATH`.
    ///   - testFilter: the running test, as `swift test --filter` takes it; `nil` when it is not known.
    /// - Returns: the command: `STUB_RECORD_MODE=recording-missing swift test --filter LoginTests.login`.
    static func recordCommand(
        mode: RecordMode = .recordingMissing,
        stubName: String?,
        stubPath: String?,
        testFilter: String?
    ) -> String {
        var words = ["STUB_RECORD_MODE=\(mode.rawValue)"]
        // A test that is known sets the name and the directory itself.
        if testFilter == nil, let name = stubName?.quotedForShell, let path = stubPath?.quotedForShell,
            name.utf8.count + path.utf8.count <= 384
        {
            words += ["STUB_NAME=\(name)", "STUB_PATH=\(path)"]
        }
        words.append("swift test")
        if let filter = testFilter ?? Self.filter(ofTestNamed: stubName) {
            // The beginning of a name finds the test too, and without a filter every test would record.
            words.append("--filter \(String(filter.prefix(128)).quotedForShell)")
        }
        return words.joined(separator: " ")
    }

    /// Returns the shell command that records a request, or the whole test in `.recording`; an instruction for a process
    /// under test that does not know its test.
    ///
    /// `environment` is that of a network which it configures; `nil` for a network that code configures.
    static func recordCommand(mode: RecordMode, environment: EnvironmentSettings?, testFilter: String?) -> String {
        let (name, path) = (environment?.value(.stubName), environment?.value(.stubPath))
        let isTestKnown = testFilter != nil || filter(ofTestNamed: name) != nil
        guard isTestKnown || environment?.isTesting != true else {
            return "start this process with STUB_RECORD_MODE=\(mode.rawValue)"
        }
        return recordCommand(mode: mode, stubName: name, stubPath: path, testFilter: testFilter)
    }

    /// Returns `LoginTests.testLogin` for XCTest's name `-[LoginTests testLogin]`.
    private static func filter(ofTestNamed name: String?) -> String? {
        guard let name, name.hasPrefix("-["), name.hasSuffix("]") else { return nil }
        let words = name.dropFirst(2).dropLast().split(separator: " ")
        return words.count == 2 ? words.joined(separator: ".") : nil
    }
}

extension String {
    /// The text as one word of a POSIX shell.
    package var quotedForShell: String {
        let isPlain = unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789_./:=,@%+-".unicodeScalars.contains(scalar))
        }
        if isPlain, !isEmpty { return self }
        return "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    }
}
