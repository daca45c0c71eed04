import Foundation

extension StubSource {
    /// Returns the comparison of the stubs of a network's files with the server's responses, by the numbers of the
    /// requests.
    ///
    /// A secret that only a later request shows is replaced first, as in a recording.
    func verificationReport(
        shared: [StubSource],
        _ received: [Int: Stub],
        _ rules: MergeRules,
        _ redactor: Redactor
    ) -> VerificationReport {
        let old = ([self] + shared).flatMap { $0.stubs() }
        let new = received.sorted { $0.key < $1.key }.map { redactor.redactAgain($0.value) }
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
        VerificationReport.Stub(
            request: request.description.cut(to: 512),
            differences: differences,
            skipped: skipped,
            needsSecret: PlaceholderSearch.placeholder(in: request).map { _ in true }
        )
    }
}
