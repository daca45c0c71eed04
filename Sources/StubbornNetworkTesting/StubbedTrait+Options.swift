import Foundation
import StubbornNetwork
import Testing

extension Trait where Self == StubbedTrait {
    /// A stubbed network for each test, played back from `Stubs/` next to the test's file.
    ///
    ///     @Test(.stubbed) func login() async throws { … StubbornNetwork.current.session … }
    public static var stubbed: Self { StubbedTrait(settings: TestSettings()) }

    /// Creates the trait for a stubbed network for each test, with its own settings.
    ///
    ///     @Suite(.stubbed(recordMode: .recordingOnce, matching: .strict)) struct APITests { … }
    ///     @Test(.stubbed { $0.stub(.any, with: .status(503)) }) func outage() async throws { … }
    ///
    /// Settings that a test's trait omits are inherited from the suite's trait.
    ///
    /// - Parameters:
    ///   - name: the stub file's name; by default the names of the suite and the test, as in `APITests_login`.
    ///   - shared: the names of stub files that the test shares with other tests, such as a login: `sharing:
    ///     ["Login"]`. They answer requests that the test's own file does not answer. Nothing is recorded into them;
    ///     the test that they belong to uses `named:`.
    ///   - directory: the stub directory; by default `Stubs` next to the test's file.
    ///   - recordMode: the record mode; `.playback` by default. `STUB_RECORD_MODE` overrides it. When `CI` is set,
    ///     nothing is recorded without that variable.
    ///   - matching: the matchers that compare requests; `.standard` by default.
    ///   - order: the order in which recorded stubs answer; `.sequenceThenLast` by default.
    ///   - redaction: the rules for secrets; `.standard` by default.
    ///   - bodyEncoding: the encoding of bodies in the stub file; by default the encoding in the stub directory's
    ///     settings, or else `.base64`.
    ///   - sharedSession: a Boolean value that indicates whether the network also answers `URLSession.shared`, for code
    ///     that cannot be given a session; `false` by default. On Linux such tests run in parallel, each with its own
    ///     stubs. On Apple's platforms they run one at a time, and must not start requests that outlive them.
    ///   - failsOn: what fails the test; `.standard` by default. `[.standard, .unused]` adds stubs that no request
    ///     used. Without `.recorded`, a test that makes a recording can pass.
    ///   - sourceLocation: the location of the trait, for reports.
    ///   - prepare: called with the network before the test, to declare stubs and change settings.
    /// - Returns: the trait.
    public static func stubbed(
        named name: String? = nil,
        sharing shared: [String]? = nil,
        in directory: String? = nil,
        recordMode: RecordMode? = nil,
        matching: RequestMatcherOptions? = nil,
        order: PlaybackOrder? = nil,
        redaction: Redaction? = nil,
        bodyEncoding: BodyEncoding? = nil,
        sharedSession: Bool? = nil,
        failsOn: FailureReasons? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ prepare: @escaping @Sendable (StubbornNetwork) throws -> Void = { _ in }
    ) -> Self {
        StubbedTrait(
            settings: TestSettings(
                name: name,
                directory: directory.map { .init(path: $0) },
                sharing: shared,
                recordMode: recordMode,
                matching: matching,
                order: order,
                redaction: redaction,
                bodyEncoding: bodyEncoding,
                sharedSession: sharedSession,
                failsOn: failsOn,
                location: "\(sourceLocation.fileName):\(sourceLocation.line)",
                prepare: prepare
            )
        )
    }

    /// Creates a trait that plays back the resources of a bundle, for tests that run without their source files, such
    /// as tests on a device.
    ///
    ///     @Suite(.stubbed(in: .module)) struct APITests { … }
    ///
    /// In an Xcode project, which has no `.module`, find the bundle by a class of the test target: `in: Bundle(for:
    /// Anchor.self)`. The stub directory is the folder `Stubs` of the resources, or the resources themselves without such a
    /// folder. Recording into a bundle is an error: the next build would replace the recording.
    public static func stubbed(
        named name: String? = nil,
        sharing shared: [String]? = nil,
        in bundle: Bundle,
        matching: RequestMatcherOptions? = nil,
        order: PlaybackOrder? = nil,
        redaction: Redaction? = nil,
        sharedSession: Bool? = nil,
        failsOn: FailureReasons? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ prepare: @escaping @Sendable (StubbornNetwork) throws -> Void = { _ in }
    ) -> Self {
        StubbedTrait(
            settings: TestSettings(
                name: name,
                directory: .resources(of: bundle),
                sharing: shared,
                matching: matching,
                order: order,
                redaction: redaction,
                sharedSession: sharedSession,
                failsOn: failsOn,
                location: "\(sourceLocation.fileName):\(sourceLocation.line)",
                prepare: prepare
            )
        )
    }
}
