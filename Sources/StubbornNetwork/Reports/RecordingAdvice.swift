import Foundation

/// The ways to record what a test or a process asks for.
struct RecordingAdvice {
    typealias Fix = UnstubbedRequestReport.Fix

    /// The stub file; `nil` for stubs in memory.
    let file: URL?
    let environment: EnvironmentSettings
    /// A Boolean value that indicates whether the environment names the stub file.
    let isConfiguredByEnvironment: Bool
    /// The running test, as `swift test --filter` takes it; `nil` when it is not known.
    let testFilter: String?
    let form: AdviceForm

    /// Returns the ways to record, the likeliest first.
    ///
    /// - Parameters:
    ///   - purpose: the reason to record: `To record it`.
    ///   - mode: the mode to record in.
    ///   - isFileMissing: whether there is no stub file yet.
    /// - Returns: a shell command; where Xcode runs the test, a line of code and the variable to set; where the stub
    ///   directory cannot be written, the way to play back.
    func fixes(_ purpose: String, mode: RecordMode, isFileMissing: Bool = false) -> [Fix] {
        if let directory = unwritableDirectory {
            let advice = "\(purpose), run the test in a simulator or on a Mac: \(directory) cannot be written here"
            guard let bundle = form.setting("in", ".module", property: nil) else {
                return [
                    Fix(
                        purpose: purpose,
                        code: "run it in a simulator or on a Mac; \(directory) cannot be written here"
                    )
                ]
            }
            return [Fix(purpose: "\(advice). To play back here, from the resources of the test target", code: bundle)]
        }
        guard environment.isRunByXcode else { return [Fix(purpose: purpose, code: command(mode))] }
        let isCodeInForce = environment.value(.recordMode) == nil && !environment.isContinuousIntegration
        let code = form.setting("recordMode", ".\(isFileMissing ? .recordingOnce : mode)", property: "recordMode")
        return (isCodeInForce ? code.map { [Fix(purpose: purpose, code: $0)] } ?? [] : [])
            + .inXcode(purpose, "STUB_RECORD_MODE=\(mode.rawValue)")
    }

    private func command(_ mode: RecordMode) -> String {
        let values = isConfiguredByEnvironment ? environment : nil
        let (name, path) = (values?.value(.stubName), values?.value(.stubPath))
        let isTestKnown = testFilter != nil || UnstubbedRequestReport.filter(ofTestNamed: name) != nil
        guard isTestKnown || values?.isTesting != true else {
            return "start this process with STUB_RECORD_MODE=\(mode.rawValue)"
        }
        return UnstubbedRequestReport.recordCommand(mode: mode, stubName: name, stubPath: path, testFilter: testFilter)
    }

    /// A Boolean value that indicates whether the stub file can be written, as far as its directory shows.
    var canRecord: Bool { unwritableDirectory == nil }

    /// The stub directory, if neither it can be written nor the directory that it would be created in.
    private var unwritableDirectory: String? {
        guard let directory = file?.deletingLastPathComponent() else { return nil }
        var path = directory.path
        while !FileSystem.exists(path), path != "/" { path = FileSystem.directory(of: path) }
        guard (try? FileSystem.checkWritable(path)) == nil else { return nil }
        return directory.relativeDisplayPath.shortenedPath
    }
}

extension AdviceForm {
    /// The network, as the code names it.
    var network: String { self == .trait ? "StubbornNetwork.current" : "network" }

    /// Returns the code that makes a setting; `nil` where it cannot.
    ///
    /// - Parameters:
    ///   - parameter: the parameter of a trait or of `stubbedNetwork`.
    ///   - value: the value, as code.
    ///   - property: the property of a network; `nil` if there is none.
    /// - Returns: the code.
    func setting(_ parameter: String, _ value: String, property: String?) -> String? {
        switch self {
        case .network: property.map { "network.\($0) = \(value)" }
        case .trait: "@Test(.stubbed(\(parameter): \(value)))"
        case .xcTest: "stubbedNetwork(\(parameter): \(value))"
        }
    }
}

extension [UnstubbedRequestReport.Fix] {
    /// Returns the ways to set a variable for the tests that Xcode and `xcodebuild` run.
    package static func inXcode(_ purpose: String, _ variable: String) -> Self {
        [
            .init(purpose: "\(purpose), set in the scheme or the test plan", code: variable),
            .init(purpose: "\(purpose), put before xcodebuild", code: "TEST_RUNNER_\(variable)"),
        ]
    }

    /// The lines to paste, each after its purpose.
    package var lines: [String] { map { "\($0.purpose):  \($0.code)" } }
}
