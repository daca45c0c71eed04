import Foundation

/// An unstubbed request, and the findings about its cause.
struct UnstubbedLookup {
    typealias Fix = UnstubbedRequestReport.Fix

    let request: StubRequest
    let shown: StubRequest
    let mode: Setting<RecordMode>
    let rules: PlaybackRules
    let recorded: LookupDiagnosis
    /// The stub files that the network shares.
    let shared: [URL]
    let declared: DeclaredDiagnosis
    /// A Boolean value that indicates whether the stub file existed when it was first read.
    let existed: Bool
    let advice: RecordingAdvice
    /// A Boolean value that indicates whether the stub directory's settings leave the host out of recordings.
    let isNeverRecorded: Bool
    let redact: (String) -> String
    /// The cause; `nil` if the stubs show it.
    let knownCause: UnstubbedRequestReport.Cause?

    fileprivate var cause: UnstubbedRequestReport.Cause {
        if let knownCause { return knownCause }
        if advice.file != nil, !existed, recorded.count == 0 { return .noStubFile }
        if !recorded.usedUp.isEmpty || !declared.usedUp.isEmpty { return .usedUp }
        if request.isOnlyRecorded { return .differs }
        if recorded.count + declared.count == 0 { return .noStubs }
        return recorded.pathCount == 0 && declared.nearest == nil ? .nothingForThisPath : .differs
    }

    fileprivate func fixes(_ cause: UnstubbedRequestReport.Cause, _ differences: [RequestDifference]) -> [Fix] {
        var fixes: [Fix] = []
        let target = advice.test.target
        func add(_ purpose: String, _ code: String) { fixes.append(Fix(purpose: purpose, code: code)) }
        // The command gives different advice.
        if target == .command { return [] }
        if cause == .usedUp, rules.order == .sequence {
            add("To repeat the last response", target.setting("playbackOrder", ".sequenceThenLast"))
        }
        // Options that ignore more are not offered.
        let ignorable = differences.count <= JSONDifference.maximumCount ? differences : []
        var ignoring: [Fix] = []
        if let options = rules.matchers.ignoring(ignorable), !options.matchers.contains(where: \.isCustom),
            redact(options.description) == options.description, options.description.utf8.count <= 480
        {
            let code = target.setting("requestMatcherOptions", options.description)
            ignoring.append(Fix(purpose: purposeOfIgnoring(ignorable), code: code))
        }
        let isGivenBack = isGivenBack(ignorable)
        if !isGivenBack, !recorded.isGiven { fixes += target.fixesForValues(of: differences) }
        // If a value that distinguishes stubs were ignored, such as a page or a prompt, one stub would answer every
        // request.
        let ignoresFirst =
            ignorable.allSatisfy(\.mayDifferEachTime) && (isGivenBack || recorded.nearest?.areConstant == true)
        if ignoresFirst { fixes += ignoring }
        if advice.file != nil, !isNeverRecorded {
            fixes += recordingFixes(cause)
        } else if advice.isConfiguredByEnvironment {
            add("To play back a stub file", "set STUB_NAME and STUB_PATH; neither is set now")
        }
        if !ignoresFirst { fixes += ignoring }
        if request.isOnlyRecorded { return fixes }
        add("To declare it", "\(target.network).stub(\(codeOfPattern), with: .status(200))")
        if let host = request.url.host, ["localhost", "127.0.0.1", "::1"].contains(host.lowercased()) {
            add("To let it through", "\(target.network).passThrough(.host(\(host.quoted())))")
        }
        return fixes
    }

    /// Returns the ways to record: the whole test, or the missing stubs.
    ///
    /// Recordings from before and after a change may contradict each other.
    private func recordingFixes(_ cause: UnstubbedRequestReport.Cause) -> [Fix] {
        func again(_ reason: String) -> [Fix] {
            advice.fixes("To record the test again, because \(reason)", mode: .recording)
        }
        // The real server would refuse a placeholder.
        if PlaceholderSearch.placeholder(in: request) != nil { return again("the request has a placeholder") }
        switch (cause, recorded.nearest?.stub.isUsed) {
        case (.notCancelled, _): return again("the client cancelled the request")
        // `title=a` was recorded, `title=b` is requested. If `title=a` was requested too, `title=b` is new.
        case (.differs, false?): return again("a request has changed")
        default:
            return advice.fixes("To record it", mode: .recordingMissing, isFileMissing: cause == .noStubFile)
        }
    }

    /// The code of a pattern that matches the request: by the operation, the URL, the path or the host.
    ///
    /// The first one without a secret is used.
    private var codeOfPattern: String {
        let url = URLParts(request.url)
        // A user is a secret, which no pattern needs.
        let address = request.url == shown.url ? String(request.url.absoluteString.prefix { $0 != "#" }) : url.text
        func code(_ text: String) -> String { text.quoted(upTo: 4_096) }
        func resource(_ address: String, _ kind: String) -> String {
            RequestPattern.namedMethods.contains(request.method)
                ? ".\(request.method.lowercased())(\(code(address)))"
                : ".method(\(code(request.method))) && .\(kind)(\(code(address)))"
        }
        let names = request.graphQLOperationNames
        let operation = names.count == 1 ? [".graphQL(\(code(names[0])))"] : []
        let patterns = operation + [resource(address, "url"), resource(url.path, "path"), ".host(\(code(url.host)))"]
        return patterns.first { $0.utf8.count <= 720 && redact($0) == $0 } ?? ".any"
    }

    /// Returns the purpose of options that ignore differences: everything that they leave out.
    private func purposeOfIgnoring(_ differences: [RequestDifference]) -> String {
        guard differences.contains(where: { $0.subject == .wholeBody }) else {
            return isGivenBack(differences) ? "To ignore it, and return the new value in the response" : "To ignore it"
        }
        let others = differences.filter { $0.subject != .wholeBody }.map(\.part).prefix(4)
        return (["To ignore the whole body"] + others).joined(separator: ", and ")
    }

    /// Returns a Boolean value that indicates whether the closest stub's response repeats values that differ.
    private func isGivenBack(_ differences: [RequestDifference]) -> Bool {
        guard let stub = recorded.nearest?.stub.stub else { return false }
        let ignored = differences.reduce(into: IgnoredParts()) { $0.add($1.subject.ignored) }
        let fields = VolatileHeaderFields(ignored.headerFields)
        return !EchoedRequestValues(of: stub, ignoring: ignored.spelled.keyPaths, fields: fields).isEmpty
    }
}

extension UnstubbedRequestReport {
    /// Creates the report on a request from the findings of the stub sources.
    init(_ lookup: UnstubbedLookup) {
        let cause = lookup.cause
        // A short variable is a secret by its name, which a message does not show.
        let request =
            lookup.request.valueName == nil
            ? "\(lookup.request.method) \(lookup.request.url.absoluteString)\(lookup.shown.operations)"
            : "\(lookup.request)"
        self.init(cause: cause, request: lookup.redact(request).cut(to: 2_048))
        file = lookup.advice.file?.relativeDisplayPath
        // A stub that is used up, or was cancelled, matches: nothing differs.
        let nearest = cause == .usedUp || cause == .notCancelled ? nil : lookup.recorded.nearest
        self.nearest = nearest.map { NearestStub($0.stub.name, $0.stub.location, $0.differences, lookup.redact) }
        fixes = lookup.fixes(cause, nearest?.differences ?? [])
        description = lookup.text(of: self)
    }
}

extension UnstubbedRequestReport.NearestStub {
    init(_ stub: String, _ location: String?, _ differences: [RequestDifference], _ redact: (String) -> String) {
        self.stub = redact(stub).cut(to: 2_048)
        self.location = location
        self.differences = differences.prefix(JSONDifference.maximumCount).map { $0.described(redact) }
    }
}

extension AdviceTarget {
    /// Returns the code that records times and ids that the client generates, if only such values differ.
    fileprivate func fixesForValues(of differences: [RequestDifference]) -> [UnstubbedRequestReport.Fix] {
        var (ids, hasTime) = ([RequestDifference.MadeValue: String](), false)
        var fixes: [UnstubbedRequestReport.Fix] = []
        for difference in differences {
            guard let values = difference.madeValues else { return [] }
            hasTime = hasTime || values.contains(where: \.isTime)
            for value in values where !value.isTime && ids[value] == nil {
                let name = difference.nameOfValue
                ids[value] = ids.values.contains(name) ? "\(name)\(ids.count + 1)" : name
                let purpose = "To use the recorded value again, if the test generates it"
                let code = "let id = \(network).value(\((ids[value] ?? name).quoted())) { UUID().uuidString }"
                fixes.append(.init(purpose: purpose, code: code))
            }
        }
        guard fixes.count <= 3 else { return [] }
        let time = "let now = \(network).recordingDate ?? Date()"
        return hasTime ? fixes + [.init(purpose: "To use the time of the recording", code: time)] : fixes
    }
}

extension RequestDifference {
    /// The name to record the value under: `order_id` for `body.order_id`, and `id` in a path.
    fileprivate var nameOfValue: String {
        if !subject.ignored.pathParameters.isEmpty { return "id" }
        let name = part.split(separator: ".").last.map {
            $0.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        }
        return name.flatMap { $0.first?.isLetter == true ? $0 : nil } ?? "id"
    }
}
