import Foundation

/// The ways to record the requests of a test or a process, for reports.
struct RecordingAdvice {
    typealias Fix = UnstubbedRequestReport.Fix

    /// The stub file; `nil` for stubs in memory.
    let file: URL?
    let environment: EnvironmentSettings
    /// A Boolean value that indicates whether the environment specifies the stub file.
    let isConfiguredByEnvironment: Bool
    let test: RunningTest

    /// Returns the ways to record for a purpose, such as `To record it`, or the way to play back if nothing can be
    /// written.
    func fixes(_ purpose: String, mode: RecordMode, isFileMissing: Bool = false) -> [Fix] {
        if let directory = unwritableDirectory {
            let advice = "in a simulator or on a Mac"
            guard let bundle = test.target.bundle else {
                return [Fix(purpose: purpose, code: "run it \(advice); \(directory) cannot be written here")]
            }
            let reason = "\(purpose), run the test \(advice): \(directory) cannot be written here"
            return [Fix(purpose: "\(reason). To play back here, from the resources of the test target", code: bundle)]
        }
        guard environment.isRunByXcode else { return [Fix(purpose: purpose, code: command(mode))] }
        let inXcode: [Fix] = .inXcode(purpose, "STUB_RECORD_MODE=\(mode.rawValue)")
        // Otherwise, a mode in code is not in force.
        guard environment.value(.recordMode) == nil, !environment.isContinuousIntegration else { return inXcode }
        let code = test.target.setting("recordMode", ".\(isFileMissing ? .recordingOnce : mode)")
        return [Fix(purpose: purpose, code: code)] + inXcode
    }

    /// Returns the shell command: `STUB_RECORD_MODE=recording-missing swift test --filter LoginTests.login`.
    private func command(_ mode: RecordMode) -> String {
        let values = isConfiguredByEnvironment ? environment : nil
        let filter = test.filter ?? values?.stubNames.first?.wordsOfXCTest?.joined(separator: ".")
        guard filter != nil || values?.isTesting != true else {
            return "start this process with STUB_RECORD_MODE=\(mode.rawValue)"
        }
        var words = ["STUB_RECORD_MODE=\(mode.rawValue)"]
        // A known test sets the name and the directory itself.
        if test.filter == nil, let name = values?.value(.stubName)?.quotedForShell,
            let path = values?.value(.stubPath)?.quotedForShell, name.utf8.count + path.utf8.count <= 384
        {
            words += ["STUB_NAME=\(name)", "STUB_PATH=\(path)"]
        }
        words.append("swift test")
        // The beginning of a name also selects the test. Without a filter, every test would record.
        if let filter { words.append("--filter \(String(filter.prefix(128)).quotedForShell)") }
        return words.joined(separator: " ")
    }

    /// The stub directory, if it cannot be written or created.
    var unwritableDirectory: String? {
        guard let directory = file?.deletingLastPathComponent() else { return nil }
        let path = FileSystem.directories(from: directory.path).first { FileSystem.exists($0) } ?? "/"
        guard (try? FileSystem.checkWritable(path)) == nil else { return nil }
        return directory.relativeDisplayPath.shortenedPath
    }
}

extension AdviceTarget {
    /// The code for the network.
    package var network: String {
        switch self {
        case .network, .xcTest, .command: "network"
        case .standard: "StubbornNetwork.standard"
        case .trait: "StubbornNetwork.current"
        }
    }

    /// Returns the statement for a setting.
    ///
    /// A statement changes nothing else, but a pasted trait would replace the test's trait with its other settings.
    func setting(_ property: String, _ value: String) -> String { "\(network).\(property) = \(value)" }

    /// The code that plays back the resources of the test target; `nil` if there is none.
    fileprivate var bundle: String? {
        let inXcode = "  // in an Xcode project: in: Bundle(for: YourTests.self)"
        return switch self {
        case .network, .standard, .command: nil
        case .trait: "@Test(.stubbed(in: .module))\(inXcode)"
        case .xcTest: "stubbedNetwork(in: .module)\(inXcode)"
        }
    }
}

extension [UnstubbedRequestReport.Fix] {
    /// Returns the ways to set a variable for the tests that Xcode and `xcodebuild` run.
    package static func inXcode(_ purpose: String, _ variable: String) -> Self {
        [
            .init(purpose: "\(purpose), set in the scheme or the test plan", code: variable),
            .init(purpose: "\(purpose), as a prefix of the xcodebuild command", code: "TEST_RUNNER_\(variable)"),
        ]
    }

    /// The lines to paste, each after its purpose.
    package var lines: [String] { map { "\($0.purpose):  \($0.code)" } }
}

extension String {
    /// The string as one word of a POSIX shell.
    package var quotedForShell: String {
        let isPlain = utf8.allSatisfy { $0.isAlphanumeric || $0.isOne(of: "_./:=,@%+-") }
        if isPlain, !isEmpty { return self }
        return "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    }
}

/// The test that a network is for, as far as it is known.
package struct RunningTest: Sendable, Hashable {
    /// The test, in the form for `swift test --filter`; `nil` if it is not known.
    var filter: String?
    package var target = AdviceTarget.network
    /// A Boolean value that indicates whether a recording run keeps the stubs that it did not request.
    var keepsUnrequestedStubs = false
}

/// The kind of code that the advice in a report is for: code with a constant `network`, code that uses the network of the process,
/// a test with `.stubbed`, or a test with `network` from `stubbedNetwork()`.
package enum AdviceTarget: Sendable, Hashable {
    case network, standard, trait, xcTest
    /// No code: the `stubborn` command reports, and gives its own advice.
    case command
}
