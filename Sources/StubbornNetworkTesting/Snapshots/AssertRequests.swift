import Foundation
import StubbornNetwork
import Testing

/// Fails the running test if the requests of a network differ from those in the test's request snapshot.
///
///     @Test func signUp() async throws {
///         let network = StubbornNetwork(.observing)
///         try await Account(session: network.session).signUp(name: "Ada")
///         assertRequests(of: network)
///     }
///
/// The snapshot is `RequestSnapshot/<Suite>/<test>.json` next to the test's file: an array of objects with `url`,
/// `method`, `headers`, and `json`, `form`, `text` or `data` for a body. Without a snapshot, one is written, and the test
/// fails: review the file, commit it, and run again. From then on the number, the order and the content of the requests
/// are compared. JSON is compared by value, a form by field and a text by line. Secrets are redacted by the network's
/// rules, and multipart boundaries are replaced. Header fields that the platform sets, and the network's
/// `volatileHeaderFields`, are left out. In an `XCTestCase`, use its method of the same name.
///
/// `STUB_SNAPSHOTS=recording` writes snapshots again. If `CI` is set, none is written without that variable.
///
/// - Parameters:
///   - network: the network that got the requests.
///   - recording: a Boolean value that indicates whether to write the snapshot again. The test fails in this case as
///     well.
///   - inAnyOrder: a Boolean value that indicates whether to ignore the order, as for requests that run in parallel.
///   - name: the snapshot's name, for a second snapshot in a test; the test's name by default. It must be different from
///     the other names in the suite.
///   - function: the calling function, for the snapshot's name outside a test's task.
///   - sourceLocation: the location of the call, for the failure and the snapshot's directory.
public func assertRequests(
    of network: StubbornNetwork,
    recording: Bool = false,
    inAnyOrder: Bool = false,
    named name: String? = nil,
    function: String = #function,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let test: TestName?
    do {
        test = try Test.current.map { try TestName($0, Test.Case.current) }
    } catch {
        Issue.record(Comment(rawValue: "\(error)"), sourceLocation: sourceLocation)
        return
    }
    let assertion = SnapshotAssertion(
        at: sourceLocation.pathOfFile,
        line: sourceLocation.line,
        test: test,
        function: function,
        named: name,
        recording: recording,
        inAnyOrder: inAnyOrder
    )
    if let failure = assertion.failure(of: network) {
        Issue.record(Comment(rawValue: failure), sourceLocation: sourceLocation)
    }
}
