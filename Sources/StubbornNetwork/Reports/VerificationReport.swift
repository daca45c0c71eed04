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
            let differences = partners[index].map { comparison.differences($0, index) }
            return new[index].verified(differences ?? [.init(.breaking, "stub", nil, "\(new[index].response)")])
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

/// Two recordings of one conversation, and the differences between their stubs.
@_spi(Tools) public struct RecordingComparison: Sendable {
    /// A difference between two stubs.
    public typealias Difference = VerificationReport.Difference

    private let rules: MergeRules
    private var pairs: RecordingPairs

    package init(_ old: [Stub], _ new: [Stub], _ rules: MergeRules) {
        self.rules = rules
        pairs = RecordingPairs(old.enumerated().map { ($0.offset, $0.element) }, new, rules)
    }

    /// The keys that pair stubs.
    ///
    /// Requests with the same normal form have equal keys.
    public var keys: (old: [UInt64], new: [UInt64]) { (pairs.old.keys, pairs.new.keys) }

    /// Returns the older stub of each new one; `nil` for a new request.
    public mutating func partners() -> [Int?] {
        let keys = pairs.old.stubs.map { rules.key($0.request) }
        var free = Set(pairs.old.stubs.indices)
        return pairs.new.stubs.indices.map { index in
            let key = rules.key(pairs.new.stubs[index].request)
            let partner = pairs.stub(for: index, key: key, keyOfOld: { keys[$0] }, where: free.contains)
            if let partner { free.remove(partner) }
            return partner
        }
    }

    /// Returns the differences between two requests, beginning with the URL.
    public func requestDifferences(_ old: Int, _ new: Int) -> [Difference] {
        let (form, newForm) = (pairs.old.requests[old], pairs.new.requests[new])
        let (request, newRequest) = (pairs.old.stubs[old].request, pairs.new.stubs[new].request)
        let parts = ComparedMessage(request, form).differences(from: ComparedMessage(newRequest, newForm))
        if request.url == newRequest.url { return parts }
        let severity: VerificationReport.Severity = form.url == newForm.url ? .volatile : .values
        return [Difference(severity, "url", request.url.absoluteString, newRequest.url.absoluteString)] + parts
    }

    /// Returns the differences between two responses, beginning with the status; `.volatile` if the normal forms are
    /// equal.
    ///
    /// If the status differs, only a complete comparison includes the header fields and the body. Only a complete one lists that
    /// the client cancelled the old response, and that the new one has ended.
    public func differences(_ old: Int, _ new: Int, isComplete: Bool = false) -> [Difference] {
        let (form, newForm) = (pairs.old.response(at: old), pairs.new.response(at: new))
        let (response, newResponse) = (pairs.old.stubs[old].response, pairs.new.stubs[new].response)
        let (failure, newFailure) = (response.failure, newResponse.failure)
        let parts = ComparedMessage(response, form).differences(from: ComparedMessage(newResponse, newForm))
        let isSameError = (failure?.domain, failure?.code) == (newFailure?.domain, newFailure?.code)
        let errors = isSameError ? [] : [Difference(.values, "error", shown(failure), shown(newFailure))]
        let hasFailed = newFailure != nil && failure == nil
        let hidesEnd = response.waitsToBeCancelled && newFailure == nil ? !isComplete : false
        let all: [Difference] =
            switch (response.head?.statusCode, hasFailed ? nil : newResponse.head?.statusCode) {
            case (nil, nil): errors
            case (nil, let newStatus?): [Difference(.breaking, "response", shown(failure), "\(newStatus)")]
            case (let status?, nil): [Difference(.breaking, "response", "\(status)", shown(newFailure))]
            case (let status?, let newStatus?) where status != newStatus:
                [Difference(.breaking, "status", "\(status)", "\(newStatus)")] + (isComplete ? errors + parts : [])
            default: (hidesEnd ? [] : errors) + parts
            }
        return pairs.old.hasSameResponse(old, as: pairs.new, at: new) ? all.map(\.volatile) : all
    }

    private func shown(_ failure: StubFailure?) -> String? {
        failure.map { "\($0.domain) \($0.code)" + ($0.description.map { " (\($0))" } ?? "") }
    }
}

/// The header fields and the body of a request or a response, with its normal form.
private struct ComparedMessage {
    typealias Difference = VerificationReport.Difference

    let fields: HeaderFields
    let body: Data
    let form: NormalForm.Message

    init(_ request: StubRequest, _ form: NormalForm.Message) {
        (fields, body, self.form) = (request.headerFields, request.body ?? Data(), form)
    }

    init(_ response: StubResponse, _ form: NormalForm.Message) {
        (fields, body, self.form) = (response.head?.headerFields ?? [:], response.body ?? Data(), form)
    }

    func differences(from new: Self) -> [Difference] { headerDifferences(from: new) + bodyDifferences(from: new) }

    private func headerDifferences(from new: Self) -> [Difference] {
        let all = fields + Array(new.fields)
        let spellings = Dictionary(all.map { ($0.name.lowercased(), $0.name) }) { first, _ in first }
        return spellings.sorted { $0.key < $1.key }.compactMap { name, spelling in
            let (recorded, received) = (fields[name], new.fields[name])
            if let recorded, let received, recorded.hasSameElements(as: received) { return nil }
            let isSame = form.fields[name] == new.form.fields[name]
            // The length of a body is compared with the body.
            if isSame, VolatileHeaderFields.ofBody.contains(name) { return nil }
            let texts = RequestDifference("headers.\(spelling)", texts: recorded, received, .other).texts
            return Difference(isSame ? .volatile : .values, "headers.\(spelling)", texts.old, texts.new)
        }
    }

    private func bodyDifferences(from new: Self) -> [Difference] {
        guard body != new.body else { return [] }
        let isSame = form.body == new.form.body
        let real = isSame ? [] : JSONDifference.all(form.body, new.form.body, entersAllArrays: true)
        guard let value = JSONValue(body: body), let newValue = JSONValue(body: new.body) else {
            if case (.array, .array) = (form.body.content, new.form.body.content), !real.isEmpty {
                // The events of a stream, and the parts of a form.
                return real.map(Difference.init)
            }
            let severity: VerificationReport.Severity = JSONValue(body: body) == nil ? .values : .breaking
            let texts = RequestDifference.ofBytes("body", body, new.body, .wholeBody).texts
            return [Difference(isSame ? .volatile : severity, "body", texts.old, texts.new)]
        }
        let all = JSONDifference.all(value, newValue, entersAllArrays: true)
        let byPart = Dictionary(all.map { ($0.part, $0) }) { first, _ in first }
        let realParts = Set(real.map(\.part))
        return real.map { Difference(byPart[$0.part] ?? $0) }
            + all.filter { !realParts.contains($0.part) }.map { Difference($0).volatile }
    }
}

extension VerificationReport.Difference {
    /// Creates a difference from both values, in the form for reports; `nil` stands for none.
    init(_ severity: VerificationReport.Severity, _ part: String, _ recorded: String?, _ received: String?) {
        self.init(severity: severity, part: part.cut(), recorded: recorded?.cut(), received: received?.cut())
    }

    fileprivate init(_ values: JSONDifference) {
        let severity: VerificationReport.Severity =
            switch (values.old?.content, values.new?.content) {
            case (nil, _): .structure
            case (_, nil): .breaking
            // A null value may become any type.
            case (.null, _), (.bool, .bool), (.number, .number), (.string, .string), (.array, .array),
                (.object, .object):
                .values
            default: .breaking
            }
        self.init(severity, values.part, values.texts.old, values.texts.new)
    }

    fileprivate var volatile: Self { Self(severity: .volatile, part: part, recorded: recorded, received: received) }
}
