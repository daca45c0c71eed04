import Foundation
import Testing

@testable import StubbornNetwork

/// The table of the record modes.
struct DecisionTests {
    /// The action that a row expects, without the values that a decision has.
    enum Action: Hashable { case playDeclared, playRecorded, record, passThrough, fail }

    /// The stub file before the run.
    enum File: CaseIterable { case missing, withoutStub, withStub }

    enum Declared: CaseIterable { case nothing, stub, passThrough, change }

    static let actions: [RecordMode: [File: Action]] = [
        .playback: [.missing: .fail, .withoutStub: .fail, .withStub: .playRecorded],
        .verifying: [.missing: .record, .withoutStub: .record, .withStub: .record],
        .recording: [.missing: .record, .withoutStub: .record, .withStub: .record],
        .recordingMissing: [.missing: .record, .withoutStub: .record, .withStub: .playRecorded],
        .recordingOnce: [.missing: .record, .withoutStub: .fail, .withStub: .playRecorded],
        .live: [.missing: .passThrough, .withoutStub: .passThrough, .withStub: .passThrough],
    ]

    private let directory = TemporaryDirectory()
    private let request = StubRequest.get("https://api.test/a")

    private func network(_ mode: RecordMode, _ file: File, _ declared: Declared) throws -> StubbornNetwork {
        let path = file == .withStub ? "a" : "other"
        let request = #""request" : { "method" : "GET", "url" : "https://api.test/\#(path)" }"#
        let stub = #"{ \#(request), "response" : { "statusCode" : 202 } }"#
        if file != .missing { try directory.write("[\(stub)]", to: "stubs.json") }
        let configuration = try #require(StubbornNetworkConfiguration.persistent(name: "stubs", path: directory.path))
        let network = StubbornNetwork(configuration, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        switch declared {
        case .nothing: break
        case .stub: network.stub(.get("/a"), with: .status(201))
        case .passThrough: network.passThrough(.get("/a"))
        case .change: network.stub(.get("/a"), with: .recorded { $0.response?.headerFields["X-Changed"] = "yes" })
        }
        return network
    }

    private func action(_ decision: Decision) -> Action? {
        switch decision {
        case .play(let response, isRecorded: false) where response.head?.statusCode == 201: .playDeclared
        case .play(let response, isRecorded: true) where response.head?.statusCode == 202: .playRecorded
        case .play: nil
        case .record: .record
        case .passThrough: .passThrough
        case .fail: .fail
        }
    }

    @Test(arguments: RecordMode.allCases, File.allCases)
    func `the mode, the declared stubs and the stub file decide, in this order`(mode: RecordMode, file: File) throws {
        for declared in Declared.allCases {
            let network = try network(mode, file, declared)
            let decision = network.engine.decide(request, exchange: network.engine.log.begin(request))
            let expected: Action? =
                switch declared {
                case .stub where mode != .live: .playDeclared
                case .passThrough: .passThrough
                case .nothing, .stub, .change: Self.actions[mode]?[file]
                }
            #expect(action(decision) == expected, "\(declared)")
            // A look-up uses a stub, so none is made without need.
            let looksForRecorded = mode != .live && (declared == .nothing || declared == .change)
            let recorded = network.engine.recorded.recorded.withLock { $0.count > 0 && $0.isUsed(0) }
            #expect(recorded == (looksForRecorded && file == .withStub), "\(declared)")
            #expect(network.unusedDeclaredStubs.isEmpty == (mode != .live || ![.stub, .change].contains(declared)))
        }
    }

    @Test(arguments: [RecordMode.playback, .recordingMissing, .recordingOnce])
    func `a declared change is made in what is recorded`(mode: RecordMode) throws {
        let network = try network(mode, .withStub, .change)
        switch network.engine.decide(request, exchange: network.engine.log.begin(request)) {
        case .play(let response, isRecorded: true):
            #expect(response.head?.headerFields["X-Changed"] == "yes")
        case let other: Issue.record("\(other)")
        }
    }
}
