import Foundation
import StubbornNetwork

/// The settings of one trait, or of one call of `stubbedNetwork`; `nil` for settings that it omits.
struct TestSettings: Sendable {
    struct Directory: Sendable {
        let path: String
        /// A Boolean value that indicates whether the directory is a bundle's, which is read and never written.
        var isInBundle = false

        /// Returns the folder `Stubs` of a bundle's resources, or the resources themselves without such a folder.
        static func resources(of bundle: Bundle) -> Self {
            let resources = bundle.resourceURL ?? bundle.bundleURL
            let folder = resources.appendingPathComponent("Stubs", isDirectory: true)
            let hasFolder = FileManager.default.fileExists(atPath: folder.path)
            return Self(path: hasFolder ? folder.path : resources.path, isInBundle: true)
        }
    }

    var name: String?
    var directory: Directory?
    /// The names of the stub files that the test shares with others.
    var sharing: [String]?
    var recordMode: RecordMode?
    var matching: RequestMatcherOptions?
    var order: PlaybackOrder?
    var redaction: Redaction?
    var bodyEncoding: BodyEncoding?
    var sharedSession: Bool?
    var failsOn: FailureReasons?
    /// The environment of the network; the environment of the process by default.
    var environment: [String: String]?
    /// The function with the settings, for reports.
    var function = ".stubbed"
    /// The file and line of the settings: `LoginTests.swift:12`.
    var location = ""
    var prepare: @Sendable (StubbornNetwork) throws -> Void = { _ in }

    /// Applies these settings to a network, then calls the closure.
    func apply(to network: StubbornNetwork) throws {
        func set<Value>(_ value: Value?, _ name: String, _ setting: ReferenceWritableKeyPath<StubbornNetwork, Value>) {
            guard let value else { return }
            network.changeSettings(as: "\(function)(\(name):) at \(location)") { network[keyPath: setting] = value }
        }
        set(recordMode, "recordMode", \.recordMode)
        set(matching, "matching", \.requestMatcherOptions)
        set(order, "order", \.playbackOrder)
        set(redaction, "redaction", \.redaction)
        set(bodyEncoding, "bodyEncoding", \.bodyEncoding)
        try network.changeSettings(as: "the closure of \(function) at \(location)") { try prepare(network) }
    }
}

extension [TestSettings] {
    /// Returns the value of a setting in the last element that has it; `nil` if none has it.
    func last<Value>(_ setting: (TestSettings) -> Value?) -> Value? {
        compactMap(setting).last
    }
}
