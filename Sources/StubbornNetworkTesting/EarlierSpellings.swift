import Foundation
import StubbornNetwork
import Testing
import XCTest

extension FailureReasons {
    /// Creates the reasons that parameters of earlier versions name.
    init(_ failsOnUnusedStubs: Bool?, _ recordingPasses: Bool?, _ degree: VerificationReport.Severity?) {
        self = [.unstubbed, .differences(degree ?? .breaking)]
        if failsOnUnusedStubs == true { insert(.unused) }
        if recordingPasses != true { insert(.recorded) }
    }
}

extension Trait where Self == StubbedTrait {
    /// The spelling of earlier versions.
    @available(*, deprecated, message: "Use failing:, as in failing: [.standard, .unused].")
    @_disfavoredOverload
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
        failsOnUnusedStubs: Bool? = nil,
        recordingPasses: Bool? = nil,
        failsOn: VerificationReport.Severity? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ prepare: @escaping @Sendable (StubbornNetwork) throws -> Void = { _ in }
    ) -> Self {
        stubbed(
            named: name,
            sharing: shared,
            in: directory,
            recordMode: recordMode,
            matching: matching,
            order: order,
            redaction: redaction,
            bodyEncoding: bodyEncoding,
            sharedSession: sharedSession,
            failing: FailureReasons(failsOnUnusedStubs, recordingPasses, failsOn),
            sourceLocation: sourceLocation,
            prepare
        )
    }
}

extension XCTestCase {
    /// The spelling of earlier versions.
    @available(*, deprecated, message: "Use failing:, as in failing: [.standard, .unused].")
    @_disfavoredOverload
    @discardableResult
    public func stubbedNetwork(
        named name: String? = nil,
        sharing shared: [String]? = nil,
        in directory: String? = nil,
        recordMode: RecordMode? = nil,
        matching: RequestMatcherOptions? = nil,
        order: PlaybackOrder? = nil,
        redaction: Redaction? = nil,
        bodyEncoding: BodyEncoding? = nil,
        sharedSession: Bool = false,
        failsOnUnusedStubs: Bool = false,
        recordingPasses: Bool = false,
        failsOn: VerificationReport.Severity = .breaking,
        file: StaticString = #filePath,
        line: UInt = #line,
        _ prepare: @escaping @Sendable (StubbornNetwork) throws -> Void = { _ in }
    ) -> StubbornNetwork {
        stubbedNetwork(
            named: name,
            sharing: shared,
            in: directory,
            recordMode: recordMode,
            matching: matching,
            order: order,
            redaction: redaction,
            bodyEncoding: bodyEncoding,
            sharedSession: sharedSession,
            failing: FailureReasons(failsOnUnusedStubs, recordingPasses, failsOn),
            file: file,
            line: line,
            prepare
        )
    }
}

extension StubReport {
    /// The spelling of earlier versions.
    @available(*, deprecated, message: "Use failing:, as in failing: .unstubbed.")
    @_disfavoredOverload
    public func expectEverythingStubbed(
        recordingPasses: Bool = false,
        failsOn: VerificationReport.Severity = .breaking,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        expectEverythingStubbed(
            failing: FailureReasons(nil, recordingPasses, failsOn),
            fileID: fileID,
            filePath: filePath,
            line: line,
            column: column
        )
    }
}
