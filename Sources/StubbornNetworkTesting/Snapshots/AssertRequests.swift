import Foundation
import StubbornNetwork
import Testing
import XCTest

/// Fails the running test when the requests of a network differ from those in the test's request snapshot.
///
///     @Test func signUp() async throws {
///         let network = StubbornNetwork(.observing)
///         try await Account(session: network.session).signUp(name: "Ada")
///         assertRequests(of: network)
///     }
///
/// The snapshot is `RequestSnapshot/<Suite>/<test>.json` beside the test's file: an array of objects with `url`,
/// `method`, `headers` and `body`. Without a snapshot, one is written, and the test fails with `Requests recorded! Set
/// recording to false and run again`: review it and commit it. From then on the number, the order and the content of
/// the requests are compared. Secrets are redacted by the network's rules, multipart boundaries are replaced, and
/// header fields that the platform sets are left out. In an `XCTestCase`, use its method of the same name.
///
/// - Parameters:
///   - network: the network that got the requests.
///   - recording: a Boolean value that indicates whether to write the snapshot again. The test fails then too.
///   - inAnyOrder: a Boolean value that indicates whether to ignore the order, as for requests that run in parallel.
///   - name: the snapshot's name, for a second snapshot in a test; the test's name by default.
///   - function: the calling function, which names the snapshot outside a test's task.
///   - sourceLocation: the location of the call, for the failure and the snapshot's directory.
public func assertRequests(
    of network: StubbornNetwork,
    recording: Bool = false,
    inAnyOrder: Bool = false,
    named name: String? = nil,
    function: String = #function,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let test = Test.current.map { TestName($0, Test.Case.current) }
    let file = sourceLocation.fileName.split(separator: ".").first.map(String.init) ?? "Tests"
    let suite = test.map { $0.path.dropLast().joined(separator: "_") } ?? ""
    let ownName = test.map { ($0.path.suffix(1) + $0.arguments).joined(separator: "_") }
    let assertion = SnapshotAssertion(
        beside: sourceLocation.pathOfFile,
        suite: suite.isEmpty ? file : suite,
        name: name ?? ownName ?? String(function.prefix { $0 != "(" })
    )
    if let failure = assertion.failure(of: network, recording: recording, inAnyOrder: inAnyOrder) {
        Issue.record(Comment(rawValue: failure), sourceLocation: sourceLocation)
    }
}

extension XCTestCase {
    /// Fails this test when the requests of a network differ from those in its request snapshot.
    ///
    /// The snapshot is `RequestSnapshot/<Class>/<test>.json` beside the test's file. This works like the function of
    /// the same name for Swift Testing.
    public func assertRequests(
        of network: StubbornNetwork,
        recording: Bool = false,
        inAnyOrder: Bool = false,
        named snapshotName: String? = nil,
        file: StaticString = #filePath,
        line: UInt = #line
    ) {
        let test = XCTestName(name)
        let assertion = SnapshotAssertion(
            beside: "\(file)",
            suite: test.className,
            name: snapshotName ?? test.methodName
        )
        if let failure = assertion.failure(of: network, recording: recording, inAnyOrder: inAnyOrder) {
            XCTFail(failure, file: file, line: line)
        }
    }
}
