import Foundation
import StubbornNetwork
import Testing

extension StubbornNetwork {
    @TaskLocal static var ofTest: StubbornNetwork?

    /// The network of the running test, which the `.stubbed` trait created.
    ///
    ///     @Test(.stubbed) func login() async throws {
    ///         let session = StubbornNetwork.current.session
    ///     }
    ///
    /// It is available in the test's task and its child tasks. In a detached task, and without the trait, the first use
    /// fails the running test. The network that it returns fails every request with an explanatory error. Stubs that
    /// are declared in that network answer nothing.
    public static var current: StubbornNetwork {
        if let ofTest { return ofTest }
        // If the test is not known, as in a detached task, a use may be the first use of a different test.
        if Test.current.map({ test in testsWithoutTrait.withLock { $0.insert(test.id).inserted } }) ?? true {
            recordFailure(noCurrentNetwork.message)
        }
        return withoutTest
    }

    /// The tests that have failed because they have no network.
    private static let testsWithoutTrait = Lock<Set<Test.ID>>([])

    private static let withoutTest = StubbornNetwork(refusingWith: noCurrentNetwork)

    private static let noCurrentNetwork = StubbornNetworkError(
        .noCurrentNetwork,
        """
        StubbornNetwork.current was used outside a test with the trait .stubbed, or in a detached task, which does not \
        inherit the test's network. Its requests fail, and stubs that are declared in it answer nothing. Add \
        .stubbed to this test or its suite, or pass the network to the task in a constant. In XCTest call \
        stubbedNetwork().
        """
    )
}
