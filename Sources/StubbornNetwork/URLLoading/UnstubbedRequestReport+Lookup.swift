import Foundation

extension UnstubbedRequestReport {
    /// The report on a request, from what the stub sources know.
    init(
        _ diagnosis: LookupDiagnosis,
        request: String,
        mode: RecordMode,
        file: URL?,
        existed: Bool,
        isConfiguredByEnvironment: Bool,
        declaredCount: Int,
        redact: (String) -> String
    ) {
        let nearest = diagnosis.usedUp > 0 ? nil : diagnosis.nearest
        self.init(
            cause: Self.cause(diagnosis, isMissing: file != nil && !existed, declaredCount: declaredCount),
            request: request,
            mode: mode,
            file: file,
            isConfiguredByEnvironment: isConfiguredByEnvironment,
            stubCount: diagnosis.count + declaredCount,
            nearest: nearest.map { redact("stub \($0.number), \($0.request)") },
            differences: nearest?.differences.map { redact($0.description) } ?? [],
            ignoringOptions: nearest?.differences.compactMap(\.ignoringOption) ?? []
        )
    }

    private static func cause(_ diagnosis: LookupDiagnosis, isMissing: Bool, declaredCount: Int) -> Cause {
        if isMissing && diagnosis.count == 0 { return .noStubFile }
        if diagnosis.usedUp > 0 { return .usedUp }
        return diagnosis.count + declaredCount == 0 ? .noStubs : .differs
    }
}
