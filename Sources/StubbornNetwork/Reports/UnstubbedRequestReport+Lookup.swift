import Foundation

/// An unstubbed request, and all that is known about why.
struct UnstubbedLookup {
    let request: StubRequest
    let mode: RecordMode
    let settings: PlaybackRules
    let recorded: LookupDiagnosis
    let declared: DeclaredDiagnosis
    let file: URL?
    let existed: Bool
    let origins: SettingOrigins
    let modeOrigin: SettingOrigin
    /// The environment of a network that is configured by it.
    let environment: EnvironmentSettings?
    let redact: (String) -> String
    /// The request without its secrets.
    let shown: StubRequest
}

extension UnstubbedRequestReport {
    /// The report on a request, from what the stub sources know.
    init(_ lookup: UnstubbedLookup) {
        let redact = lookup.redact
        let cause = Self.cause(lookup)
        // What is used up matches: nothing differs.
        let nearest = cause == .usedUp ? nil : lookup.recorded.nearest
        let differences = nearest.map { Array($0.differences.prefix(Self.maximumDifferenceCount)) } ?? []
        let usedUp =
            lookup.recorded.usedUp.map { "stub \($0.position)\($0.position(in: lookup.file).map { " (\($0))" } ?? "")" }
            + lookup.declared.usedUp.map(redact)
        self.init(
            cause: cause,
            request: redact(lookup.request.description).cut(to: 2_048),
            mode: lookup.mode,
            file: lookup.file,
            stubCount: lookup.recorded.count + lookup.declared.count,
            pathStubCount: lookup.recorded.pathCount,
            usedPathStubCount: lookup.recorded.usedPathCount,
            usedUp: cause == .usedUp
                ? usedUp.prefix(8) + (usedUp.count > 8 ? ["and \(usedUp.count - 8) more"] : []) : [],
            nearest: nearest.map { redact("stub \($0.stub.position), \($0.stub.request)").cut(to: 2_048) },
            position: nearest?.stub.position(in: lookup.file),
            isNearestUnused: nearest.map { !$0.stub.isUsed } ?? false,
            differences: differences.map { $0.described(redact) },
            ignoringOptions: differences.compactMap(\.ignoringOption).map(redact),
            nearestDeclared: lookup.declared.nearest.map { redact($0).cut(to: 2_048) },
            declaredDifferences: lookup.declared.failing.prefix(Self.maximumDifferenceCount).map {
                $0.described(redact)
            },
            settings: Settings(
                matchers: redact(lookup.settings.matchers.description),
                matchersSource: lookup.origins.matchers.description,
                order: lookup.settings.order.description,
                orderSource: lookup.origins.order.description,
                modeSource: lookup.modeOrigin.description
            ),
            fixes: Self.fixes(lookup, cause, nearest?.differences ?? [])
        )
    }

    /// More lines help nobody, and options that ignore more are none.
    private static let maximumDifferenceCount = 64

    private static func cause(_ lookup: UnstubbedLookup) -> Cause {
        let (recorded, declared) = (lookup.recorded, lookup.declared)
        if lookup.file != nil, !lookup.existed, recorded.count == 0 { return .noStubFile }
        if !recorded.usedUp.isEmpty || !declared.usedUp.isEmpty { return .usedUp }
        if recorded.count + declared.count == 0 { return lookup.file == nil ? .noStubs : .emptyFile }
        return recorded.pathCount == 0 && declared.nearest == nil ? .nothingForThisPath : .differs
    }

    private static func fixes(
        _ lookup: UnstubbedLookup,
        _ cause: Cause,
        _ differences: [RequestDifference]
    ) -> [Fix] {
        var fixes: [Fix] = []
        if cause == .usedUp, lookup.settings.order == .sequence {
            fixes.append(
                Fix(purpose: "To repeat the last response", code: "network.playbackOrder = .sequenceThenLast")
            )
        }
        let isSmall = differences.count <= maximumDifferenceCount
        let options = isSmall ? lookup.settings.matchers.ignoring(differences) : nil
        if let options, !options.hasCustomMatcher, lookup.redact(options.description) == options.description,
            options.description.utf8.count <= 480
        {
            fixes.append(Fix(purpose: "To ignore it", code: "network.requestMatcherOptions = \(options)"))
        }
        if lookup.file != nil {
            let command = RecordCommand(
                stubName: lookup.environment?.value(.stubName),
                stubPath: lookup.environment?.value(.stubPath),
                testFilter: lookup.origins.testFilter
            )
            fixes.append(Fix(purpose: "To record it", code: command.text))
        } else if lookup.environment != nil {
            fixes.append(
                Fix(
                    purpose: "To play back a stub file",
                    code: "set STUB_NAME and STUB_PATH, neither of which is set"
                )
            )
        }
        let offered = OfferedPattern(
            for: lookup.request,
            shown: lookup.shown,
            differences: isSmall ? differences : [],
            isShowable: { lookup.redact($0) == $0 }
        )
        fixes.append(Fix(purpose: "To declare it", code: "network.stub(\(offered.code), with: .status(200))"))
        return fixes
    }
}

extension StubSummary {
    /// `Stubs/Login.json:42`; `nil` for what has no line.
    func position(in file: URL?) -> String? {
        guard let file, let line else { return nil }
        return "\(file.relativeDisplayPath):\(line)"
    }
}
