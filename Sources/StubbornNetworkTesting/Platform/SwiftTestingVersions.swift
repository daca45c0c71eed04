import Foundation
import StubbornNetwork
import Testing

extension SourceLocation {
    /// The path of the file, which has a different name in earlier versions of Swift Testing.
    var pathOfFile: String {
        #if compiler(>=6.3)
            filePath
        #else
            _filePath
        #endif
    }
}

extension Issue {
    /// A Boolean value that indicates whether the issue fails its test; in earlier versions of Swift Testing, each does.
    var failsTest: Bool {
        #if compiler(>=6.3)
            isFailure
        #else
            true
        #endif
    }
}

/// Runs the body of a test, and passes each of its issues, known ones included, to an observer.
///
/// Earlier versions of Swift Testing do not report known issues.
func observingIssues(
    of test: Test,
    _ testCase: Test.Case?,
    _ observe: @escaping @Sendable (Issue) -> Void,
    _ body: @Sendable () async throws -> Void
) async throws {
    #if compiler(>=6.2)
        let trait = IssueHandlingTrait.compactMapIssues { issue in
            observe(issue)
            return issue
        }
        try await trait.provideScope(for: test, testCase: testCase, performing: body)
    #else
        try await body()
    #endif
}

extension UnstubbedRequestReport {
    /// Attaches the report to the running test, as JSON, if this version of Swift Testing has attachments.
    func attach(at location: SourceLocation) {
        #if compiler(>=6.2)
            Attachment.record(jsonString, named: "unstubbed-request.json", sourceLocation: location)
        #endif
    }
}

/// A Boolean value that indicates whether each of Swift Testing and XCTest passes on failures that are recorded with the other.
///
/// Since Swift 6.4 they do, unless the environment says `none`. A failure that is recorded with both would be reported
/// twice.
var frameworksShareFailures: Bool {
    #if compiler(>=6.4)
        ProcessInfo.processInfo.environment["SWIFT_TESTING_XCTEST_INTEROP_MODE"]?.lowercased() != "none"
    #else
        false
    #endif
}
