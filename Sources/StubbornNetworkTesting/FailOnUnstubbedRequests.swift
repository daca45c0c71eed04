import Foundation
import StubbornNetwork
import Testing

extension StubbornNetwork {
    /// Fails the running test for every unstubbed request of the test process.
    ///
    ///     // Once, for example in the initializer of a suite, or in `setUp` of a base class:
    ///     StubbornNetwork.failOnUnstubbedRequests()
    ///
    /// Afterwards, if no interception answers a request of `URLSession.shared`, the request fails instead of reaching
    /// the real server, and the test fails with the diagnosis. An unstubbed request of a network fails the test too,
    /// unless the network has an `onUnstubbedRequest` handler; the networks of `.stubbed` and `stubbedNetwork()` have
    /// one, and report their requests themselves. Sessions created from other configurations are not affected. Further
    /// calls do nothing.
    ///
    /// The test whose task started the request fails. If there is no such test, the whole run fails.
    public static func failOnUnstubbedRequests() {
        let reported = Lock<Set<String>>([])
        watchUnstubbedRequests { diagnosis in
            let key = "\(Test.current.map { String(describing: $0.id) } ?? "") \(diagnosis)"
            // Foundation may ask for a request more than once.
            guard reported.withLock({ $0.insert(key).inserted }) else { return }
            recordFailure(diagnosis)
        }
    }

    /// Fails the test that the calling task belongs to, or else the run.
    static func recordFailure(_ text: String) {
        // One of the two frameworks is running. The other framework ignores the call, or passes it on.
        if Test.current == nil, !frameworksShareFailures { failXCTest(text) }
        Issue.record(Comment(rawValue: text), sourceLocation: Test.current?.sourceLocation ?? #_sourceLocation)
    }
}
