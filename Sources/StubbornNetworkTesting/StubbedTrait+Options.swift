import Foundation
import StubbornNetwork
import Testing

extension Trait where Self == StubbedTrait {
    /// A stubbed network for each test, played back from `Stubs/` beside the test's file.
    ///
    ///     @Test(.stubbed) func login() async throws { … StubbornNetwork.current.session … }
    public static var stubbed: Self { StubbedTrait() }

    /// A stubbed network for each test, as told.
    ///
    ///     @Suite(.stubbed(recordMode: .recordingOnce, matching: .strict)) struct APITests { … }
    ///     @Test(.stubbed { $0.stub(.any, with: .status(503)) }) func outage() async throws { … }
    ///
    /// - Parameters:
    ///   - name: the stub file's; by default the suite's and the test's, as in `APITests_login`.
    ///   - directory: the stub directory; by default `Stubs` beside the test's file.
    ///   - recordMode: `.playback` by default. `STUB_RECORD_MODE` wins over it; where `CI` is set nothing is recorded without that variable.
    ///   - matching: `.standard` by default.
    ///   - order: `.sequenceThenLast` by default.
    ///   - sharedSession: whether the network answers `URLSession.shared` too, for code that cannot be handed a session.
    ///     On Linux such tests run in parallel, each with its own stubs. On Apple's platforms they run one at a time, and
    ///     must not start requests that outlive them.
    ///   - failsOnUnusedStubs: whether a stub that no request asked for, recorded or declared, fails the test.
    ///   - recordingPasses: whether a test that recorded may pass. It fails by default, saying what it recorded and where.
    ///   - sourceLocation: where the trait stands, for reports.
    ///   - prepare: called before the test with its network, to declare stubs and change settings.
    public static func stubbed(
        named name: String? = nil,
        in directory: String? = nil,
        recordMode: RecordMode? = nil,
        matching: RequestMatcherOptions? = nil,
        order: PlaybackOrder? = nil,
        redaction: Redaction = .standard,
        sharedSession: Bool = false,
        failsOnUnusedStubs: Bool = false,
        recordingPasses: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ prepare: @escaping @Sendable (StubbornNetwork) throws -> Void = { _ in }
    ) -> Self {
        StubbedTrait(
            name: name,
            directory: directory.map(StubbedTrait.Directory.path) ?? .besideTest,
            recordMode: recordMode,
            matching: matching,
            order: order,
            place: "\(sourceLocation.fileName):\(sourceLocation.line)",
            redaction: redaction,
            sharedSession: sharedSession,
            failsOnUnusedStubs: failsOnUnusedStubs,
            recordingPasses: recordingPasses,
            prepare: prepare
        )
    }

    /// A stubbed network for each test, played back from the resources of a bundle: for tests that run where their source
    /// files are not, as on a device.
    ///
    ///     @Suite(.stubbed(in: .module)) struct APITests { … }
    ///
    /// The stub directory is the folder `Stubs` of the resources, or the resources themselves where there is no such
    /// folder. Recording into a bundle is refused: it would be lost with the next build.
    public static func stubbed(
        named name: String? = nil,
        in bundle: Bundle,
        matching: RequestMatcherOptions? = nil,
        order: PlaybackOrder? = nil,
        redaction: Redaction = .standard,
        sharedSession: Bool = false,
        failsOnUnusedStubs: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ prepare: @escaping @Sendable (StubbornNetwork) throws -> Void = { _ in }
    ) -> Self {
        let resources = bundle.resourceURL ?? bundle.bundleURL
        let folder = resources.appendingPathComponent("Stubs", isDirectory: true)
        return StubbedTrait(
            name: name,
            directory: .resources(FileManager.default.fileExists(atPath: folder.path) ? folder : resources),
            matching: matching,
            order: order,
            place: "\(sourceLocation.fileName):\(sourceLocation.line)",
            redaction: redaction,
            sharedSession: sharedSession,
            failsOnUnusedStubs: failsOnUnusedStubs,
            prepare: prepare
        )
    }
}
