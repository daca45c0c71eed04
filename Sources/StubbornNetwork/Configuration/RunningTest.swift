/// The test that a network is for, as far as it is known.
package struct RunningTest: Sendable, Hashable {
    /// The test, as `swift test --filter` takes it; `nil` when it is not known.
    var filter: String?
    package var target = AdviceTarget.network
    /// A Boolean value that indicates whether a recording run keeps the stubs that it did not ask for.
    var keepsUnrequestedStubs = false
}

/// The place that a report's lines are pasted into: code with a constant `network`, code that uses the process's network, a
/// test with `.stubbed`, or a test with `network` from `stubbedNetwork()`.
package enum AdviceTarget: Sendable, Hashable {
    case network, standard, trait, xcTest
    /// None: the `stubborn` command reports, and has advice of its own.
    case command
}
