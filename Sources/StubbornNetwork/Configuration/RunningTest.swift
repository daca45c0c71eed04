/// The test that a network is for, as far as it is known.
package struct RunningTest: Sendable, Hashable {
    /// The test, as `swift test --filter` takes it; `nil` when it is not known.
    var filter: String?
    package var target = AdviceTarget.network
    /// A Boolean value that indicates whether a recording run keeps the stubs that it did not ask for.
    var keepsUnrequestedStubs = false
}

/// The code that the advice in a report is for: code with a constant `network`, code that uses the network of the process, a
/// test with `.stubbed`, or a test with `network` from `stubbedNetwork()`.
package enum AdviceTarget: Sendable, Hashable {
    case network, standard, trait, xcTest
    /// No code: the `stubborn` command reports, and gives its own advice.
    case command
}
