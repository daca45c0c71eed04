@_spi(Tools) import StubbornNetwork

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

    /// A recorded or declared stub that no request used, unless the test failed for a different reason or was skipped,
    /// or the mode is `.live`.
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

extension VerificationReport {
    /// Returns the message for a test whose recording differs from the real server's responses by at least a severity;
    /// `nil` otherwise.
    ///
    /// If nothing differs by that severity, the differences of at least `.values`, and the stubs that were not
    /// verified, are written to standard error. If none of the requests with secrets could be verified, the test fails.
    func failure(of severity: Severity?) -> String? {
        if let severity, !stubs(atLeast: severity).isEmpty { return description }
        if severity != nil, isBlindBehindLogin { return textOfSkipped }
        let note = stubs(atLeast: .values).isEmpty ? textOfSkipped : description
        note.map(StandardError.write)
        return nil
    }

    /// The message about the stubs that were not verified; `nil` if all were.
    private var textOfSkipped: String? {
        guard verifiedCount < stubs.count else { return nil }
        let skipped = stubs.filter { $0.skipped != nil }.map { "  \($0)" }.listed(upTo: 8)
        let head = "\(verifiedCount) of \(stubs.count) stubs were verified (\(file ?? "in memory"))."
        return ([head] + skipped).joined(separator: "\n")
    }

    /// A Boolean value that indicates whether no recorded request with a secret was sent, so that nothing after the
    /// login was verified.
    private var isBlindBehindLogin: Bool {
        let stubs = stubs.filter { $0.needsSecret == true }
        return !stubs.isEmpty && stubs.allSatisfy { $0.skipped != nil }
    }
}
