import Foundation

/// The differences between recorded stubs and the real server's current responses, in `.verifying`.
///
///     network.recordMode = .verifying
///     …
///     let report = await network.verificationReport()
///
/// Secrets are redacted, and long strings are truncated.
public struct VerificationReport: Sendable, Codable, Hashable, CustomStringConvertible {
    /// The severity of a difference, from the least to the greatest.
    public enum Severity: String, Sendable, Codable, CaseIterable, Comparable {
        /// A value that changes each time, such as a clock or an id, or that the matchers ignore.
        case volatile
        /// A different value of the same type, or a different header field.
        case values
        /// A new key in JSON: code that decodes strictly may fail.
        case structure
        /// A different status, a missing key, a value of a different type, null for a value, no response, or a request
        /// that has no stub.
        case breaking

        /// Returns a Boolean value that indicates whether the first severity is less.
        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
        package var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// A difference between a recorded response and the server's response.
    @_spi(Tools) public struct Difference: Sendable, Codable, Hashable, CustomStringConvertible {
        /// The severity of the difference.
        @_spi(Tools) public let severity: Severity
        /// The part of the response: `status`, `headers.Content-Type`, `body.user.name`.
        @_spi(Tools) public let part: String
        /// The recorded value; `nil` if there is none.
        @_spi(Tools) public let recorded: String?
        /// The value now; `nil` if there is none.
        @_spi(Tools) public let received: String?

        /// The difference on one line: `body.user.name: recorded "Ada", received "Grace"`.
        @_spi(Tools) public var description: String {
            "\(part): recorded \(recorded ?? "none"), received \(received ?? "none")"
        }
    }

    /// A recorded stub, and its differences from the server's response.
    @_spi(Tools) public struct Stub: Sendable, Codable, Hashable, CustomStringConvertible {
        /// The method and the URL: `GET https://api.example.com/users/42`.
        @_spi(Tools) public let request: String
        /// The differences; none if the server's response is the same.
        @_spi(Tools) public let differences: [Difference]
        /// The reason why the stub was not compared; `nil` if it was.
        @_spi(Tools) public let skipped: String?
        /// A Boolean value that indicates whether a placeholder takes the place of a secret in the recorded request.
        package var needsSecret: Bool?

        /// The highest severity of the differences; `nil` if there are none.
        @_spi(Tools) public var severity: Severity? { differences.map(\.severity).max() }

        /// The stub as text, a difference on each line.
        @_spi(Tools) public var description: String {
            if let skipped { return "\(request): not verified, \(skipped)" }
            guard let severity else { return "\(request): the same" }
            if severity == .volatile { return "\(request): the same, except for volatile values" }
            let shown = differences.filter { $0.severity != .volatile }.map(\.description)
            return (["\(request):"] + shown.listed(upTo: 20).map { "  \($0)" }).joined(separator: "\n")
        }
    }

    /// The stub file; `nil` for stubs in memory.
    @_spi(Tools) public let file: String?
    /// The requests in their order, followed by the stubs that no request used.
    @_spi(Tools) public let stubs: [Stub]

    /// Returns the stubs with a difference of at least this severity.
    @_spi(Tools) public func stubs(atLeast severity: Severity) -> [Stub] {
        stubs.filter { $0.severity.map { $0 >= severity } ?? false }
    }

    /// The number of stubs that were compared.
    @_spi(Tools) public var verifiedCount: Int { stubs.filter { $0.skipped == nil }.count }

    /// The report as text: the number of stubs that were verified, those that differ, and those that were not verified.
    public var description: String {
        let listed = stubs.filter { $0.skipped != nil || $0.severity.map { $0 > .volatile } ?? false }
        let same = stubs.count - listed.count
        let counts =
            verifiedCount == stubs.count
            ? "\(same) of \(stubs.count) stubs are the same"
            : "\(verifiedCount) of \(stubs.count) stubs were verified, and \(same) of \(verifiedCount) are the same"
        let head = "\(file ?? "The recording in memory") was compared with the server: \(counts)."
        return ([head] + listed.map(\.description)).joined(separator: "\n")
    }

    /// The report as one JSON object, with `file` and `stubs`: each with `request`, `differences` and, if it was not compared,
    /// `skipped`.
    ///
    /// A difference has `severity`, `part`, `recorded` and `received`. Later versions may add keys, but keep these.
    public var jsonString: String { JSONEncoder.prettyText(of: self) }
}

extension StubSource {
    /// Returns the comparison of the stubs of a network's files with the server's responses, in the order of the requests.
    func verificationReport(shared: [StubSource], of new: [Stub], _ rules: MergeRules) -> VerificationReport {
        let old = ([self] + shared).flatMap { $0.stubs() }
        let file = file?.relativeDisplayPath
        guard !new.isEmpty else { return VerificationReport(file: file, stubs: []) }
        var comparison = RecordingComparison(old, new, rules)
        let partners = comparison.partners()
        let compared = new.indices.map { index in
            guard let partner = partners[index] else {
                return new[index].verified([.init(.breaking, "stub", nil, "\(new[index].response)")])
            }
            return new[index].verified(comparison.differences(partner, index))
        }
        let unasked = Set(stubs().indices).subtracting(partners.compactMap { $0 }).sorted().map { old[$0] }
        let skipped = unasked.filter { $0.valueName == nil }.map { $0.verified([], skipped: "no request used it") }
        return VerificationReport(file: file, stubs: compared + skipped)
    }
}

extension Stub {
    fileprivate func verified(
        _ differences: [VerificationReport.Difference],
        skipped: String? = nil
    ) -> VerificationReport.Stub {
        let name = request.description.cut(to: 512)
        let needsSecret = PlaceholderSearch.placeholder(in: request).map { _ in true }
        return .init(request: name, differences: differences, skipped: skipped, needsSecret: needsSecret)
    }
}
