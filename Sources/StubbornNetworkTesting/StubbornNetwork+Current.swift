import Foundation
import StubbornNetwork

extension StubbornNetwork {
    @TaskLocal static var ofTest: StubbornNetwork?

    /// The network of the running test: the one that the `.stubbed` trait made for it.
    ///
    ///     @Test(.stubbed) func login() async throws {
    ///         let session = StubbornNetwork.current.session
    ///     }
    ///
    /// It is visible in the test's task and its child tasks. Elsewhere, in a detached task or without the trait, it is a
    /// network that answers nothing: every request fails, saying so.
    public static var current: StubbornNetwork {
        ofTest ?? .withoutTest
    }

    private static let withoutTest: StubbornNetwork = {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any) { _ in throw NoCurrentNetwork() }
        return network
    }()
}

/// There is no test, as far as this task knows.
struct NoCurrentNetwork: LocalizedError {
    var errorDescription: String? {
        """
        StubbornNetwork.current was used where no test with the trait .stubbed is running, or in a detached task, which \
        does not see it. Add .stubbed to the test or its suite, or take the network into the task in a constant.
        """
    }
}
