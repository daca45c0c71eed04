import Foundation

/// An unstubbed request, and all that is known about why.
struct UnstubbedLookup {
    let request: StubRequest
    let mode: RecordMode
    let settings: PlaybackRules
    let bodyEncoding: BodyEncoding
    let recorded: LookupDiagnosis
    let declared: DeclaredDiagnosis
    let file: URL?
    /// A Boolean value that indicates whether the stub file existed when it was first read.
    let existed: Bool
    /// The file that may be the missing stub file under the name that its test had before; `nil` if there is none.
    let earlierName: URL?
    let origins: SettingOrigins
    let modeOrigin: SettingOrigin
    let advice: RecordingAdvice
    let redact: (String) -> String
    /// The request without its secrets.
    let shown: StubRequest
    /// The cause, if it is known.
    let cause: UnstubbedRequestReport.Cause?
}

extension UnstubbedRequestReport {
    /// Creates the report on a request from what the stub sources know.
    init(_ lookup: UnstubbedLookup) {
        let redact = lookup.redact
        let (recorded, declared) = (lookup.recorded, lookup.declared)
        let cause = lookup.cause ?? Self.cause(lookup)
        // A stub that is used up, or was cancelled, matches: nothing differs.
        let isMatched = cause == .usedUp || cause == .notCancelled
        let nearest = isMatched ? nil : recorded.nearest
        let usedUp =
            recorded.usedUp.map { "stub \($0.position)\($0.location(in: lookup.file).map { " (\($0))" } ?? "")" }
            + declared.usedUp.map(redact)
        self.init(cause: cause, request: redact(lookup.request.description).cut(to: 2_048))
        mode = lookup.mode
        modeOrigin = lookup.modeOrigin.description
        file = lookup.file?.relativeDisplayPath
        stubCount = recorded.count + declared.count
        pathStubCount = recorded.pathCount
        usedPathStubCount = recorded.usedPathCount
        if isMatched {
            self.usedUp = usedUp.prefix(8) + (usedUp.count > 8 ? ["and \(usedUp.count - 8) more"] : [])
        }
        self.nearest = nearest.map { nearest in
            let stub = nearest.stub
            let (name, location) = ("stub \(stub.position), \(stub.request)", stub.location(in: lookup.file))
            return NearestStub(name, location, isUnused: !stub.isUsed, nearest.differences, redact)
        }
        nearestDeclared = declared.nearest.map { nearest in
            let stub = nearest.stub
            return NearestStub(stub.pattern, stub.location, isUnused: nearest.isUnused, nearest.failing, redact)
        }
        matchers = redact(lookup.settings.matchers.description)
        matchersOrigin = lookup.origins.matchers.description
        order = lookup.settings.order.description
        orderOrigin = lookup.origins.order.description
        redactionOrigin = lookup.origins.redaction.description
        bodyEncoding = ".\(lookup.bodyEncoding)"
        bodyEncodingOrigin = lookup.origins.bodyEncoding.description
        fixes = Self.fixes(lookup, cause, nearest?.differences ?? [])
    }

    /// The most differences that are listed.
    ///
    /// Options that ignore more are not offered.
    fileprivate static let maximumDifferenceCount = 64

    private static func cause(_ lookup: UnstubbedLookup) -> Cause {
        let (recorded, declared) = (lookup.recorded, lookup.declared)
        if let file = lookup.file, !lookup.existed, recorded.count == 0 {
            let directory = file.deletingLastPathComponent().path
            return FileManager.default.fileExists(atPath: directory) ? .noStubFile : .noStubDirectory
        }
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
        func add(_ purpose: String, _ code: String) { fixes.append(Fix(purpose: purpose, code: code)) }
        let form = lookup.advice.form
        func addSetting(_ purpose: String, _ parameter: String, _ value: String, property: String) {
            if let code = form.setting(parameter, value, property: property) { add(purpose, code) }
        }
        if cause == .usedUp, lookup.settings.order == .sequence {
            addSetting("To repeat the last response", "order", ".sequenceThenLast", property: "playbackOrder")
        }
        let ignorable = differences.count <= maximumDifferenceCount ? differences : []
        if let options = lookup.settings.matchers.ignoring(ignorable), !options.hasCustomMatcher,
            lookup.redact(options.description) == options.description, options.description.utf8.count <= 480
        {
            addSetting("To ignore it", "matching", options.description, property: "requestMatcherOptions")
        }
        if lookup.file != nil {
            fixes += lookup.advice.fixes(
                "To record it",
                // A stub that was recorded is recorded anew, and not in addition.
                mode: cause == .notCancelled ? .recording : .recordingMissing,
                isFileMissing: cause == .noStubFile || cause == .noStubDirectory
            )
            if cause == .noStubFile, let file = lookup.file?.relativeDisplayPath,
                let old = lookup.earlierName?.relativeDisplayPath, old.utf8.count + file.utf8.count <= 512
            {
                add(
                    "If its test was renamed (\(old.shortenedPath) has this request, and no test of this run uses it)",
                    "git mv \(old.quotedForShell) \(file.quotedForShell)"
                )
            }
        } else if lookup.advice.isConfiguredByEnvironment {
            add("To play back a stub file", "set STUB_NAME and STUB_PATH, neither of which is set")
        }
        let offered = OfferedPattern(
            for: lookup.request,
            shown: lookup.shown,
            differences: ignorable,
            isShowable: { lookup.redact($0) == $0 }
        )
        add("To declare it", "\(form.network).stub(\(offered.code), with: .status(200))")
        if let host = lookup.request.url.host, ["localhost", "127.0.0.1", "::1"].contains(host.lowercased()) {
            add("To let it through", "\(form.network).passThrough(.host(\(host.quoted())))")
        }
        return fixes
    }
}

extension UnstubbedRequestReport.NearestStub {
    fileprivate init(
        _ stub: String,
        _ location: String?,
        isUnused: Bool,
        _ differences: [RequestDifference],
        _ redact: (String) -> String
    ) {
        let listed = differences.prefix(UnstubbedRequestReport.maximumDifferenceCount)
        self.init(
            stub: redact(stub).cut(to: 2_048),
            location: location,
            isUnused: isUnused,
            differences: listed.map { $0.described(redact) },
            ignoringOptions: listed.compactMap(\.ignoringOption).map(redact)
        )
    }
}

extension StubSummary {
    /// Returns the file and line: `Stubs/Login.json:42`; `nil` for a stub without a line.
    func location(in file: URL?) -> String? {
        guard let file, let line else { return nil }
        return "\(file.relativeDisplayPath):\(line)"
    }
}
