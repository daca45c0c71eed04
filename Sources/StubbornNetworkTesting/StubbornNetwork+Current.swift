import Foundation
import StubbornNetwork

extension StubbornNetwork {
    @TaskLocal static var ofTest: StubbornNetwork?

    /// The network of the running test, which the `.stubbed` trait created.
    ///
    ///     @Test(.stubbed) func login() async throws {
    ///         let session = StubbornNetwork.current.session
    ///     }
    ///
    /// It is available in the test's task and its child tasks. In a detached task, and without the trait, this is a
    /// network whose requests all fail with an error that says so.
    public static var current: StubbornNetwork {
        ofTest ?? .withoutTest
    }

    private static let withoutTest: StubbornNetwork = {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any) { _ in throw NoCurrentNetwork() }
        return network
    }()
}

/// The error of a request without a test's network.
struct NoCurrentNetwork: LocalizedError {
    var errorDescription: String? {
        """
        StubbornNetwork.current was used outside a test with the trait .stubbed, or in a detached task, which does not \
        inherit the test's network. Add .stubbed to the test or its suite, or pass the network to the task in a constant.
        """
    }
}
