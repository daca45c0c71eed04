import StubbornNetwork

/// The reasons for which a test with a stubbed network, or with a process under test, fails.
///
///     @Suite(.stubbed(failsOn: [.standard, .unused])) struct UserTests { … }
///     @Test(.stubbed(recordMode: .recordingMissing, failsOn: .unstubbed)) func news() async throws { … }
///
/// A reason that is not in the set does not fail the test. A recording that could not be written, or that got no
/// answer, always fails it.
public struct FailureReasons: OptionSet, Sendable {
    /// The reasons as bits.
    public let rawValue: Int

    /// Creates a set from the bits of its reasons.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A request that no stub answers.
    ///
    /// Without this reason, the request still fails, and the report is written to standard error.
    public static let unstubbed = Self(rawValue: 1)

    /// A recorded or declared stub that no request used, unless the test failed for a different reason.
    public static let unused = Self(rawValue: 2)

    /// Recordings, so that a retry does not pass on a file that nobody has reviewed.
    public static let recorded = Self(rawValue: 4)

    /// Returns the reasons that are differences from the real server's current responses, in `.verifying`.
    ///
    /// - Parameter severity: the lowest severity that fails the test.
    /// - Returns: the reasons for this severity and all higher ones.
    public static func differences(atLeast severity: VerificationReport.Severity) -> Self {
        Self(VerificationReport.Severity.allCases.filter { $0 >= severity }.map(Self.difference))
    }

    /// Unstubbed requests, recordings, and differences that are `.breaking`: the default.
    public static let standard: Self = [.unstubbed, .recorded, .differences(atLeast: .breaking)]

    /// The lowest severity of a difference that fails a test; `nil` if none does.
    var severity: VerificationReport.Severity? {
        VerificationReport.Severity.allCases.first { contains(Self.difference($0)) }
    }

    private static func difference(_ severity: VerificationReport.Severity) -> Self {
        Self(rawValue: 8 << severity.rank)
    }
}
