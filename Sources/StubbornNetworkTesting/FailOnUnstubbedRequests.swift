import Foundation
import StubbornNetwork
import Testing
import XCTest

extension StubbornNetwork {
    /// Fails the running test for every request that nothing stubs, in the whole test process.
    ///
    ///     // Once, as in the initialiser of a suite, or in `setUp` of a base class:
    ///     StubbornNetwork.failOnUnstubbedRequests()
    ///
    /// From then on a request of `URLSession.shared` that no interception takes fails instead of reaching the real server,
    /// and so does, as ever, one of a session of this library that no stub answers; each fails the test, with the diagnosis
    /// and, for `URLSession.shared`, the call stack of who asked. Networks with `onUnstubbedRequest`, those of `.stubbed`
    /// and `stubbedNetwork()` among them, tell of theirs themselves. Sessions that others make from a configuration of
    /// their own are not seen. Calling it again does nothing.
    ///
    /// Which test is running is known where the request is started in the test's task; otherwise the failure belongs to
    /// the run.
    public static func failOnUnstubbedRequests() {
        let told = Lock<Set<String>>([])
        watchUnstubbedRequests { diagnosis, callStack in
            let test = Test.current
            let key = "\(test.map { String(describing: $0.id) } ?? "") \(diagnosis)"
            // Foundation may ask more than once about a request.
            guard told.withLock({ $0.insert(key).inserted }) else { return }
            let text = ([diagnosis] + (callStack.isEmpty ? [] : ["Asked by:"] + callStack.map { "  \($0)" }))
                .joined(separator: "\n")
            if let test {
                Issue.record(Comment(rawValue: text), sourceLocation: test.sourceLocation)
            } else {
                // One of the two is running, and the other does not listen.
                XCTFail(text)
                Issue.record(Comment(rawValue: text))
            }
        }
    }
}
