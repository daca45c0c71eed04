import Foundation

/// The diagnosis of a request that no stub answered: the cause, the closest stub, and suggested fixes.
///
///     network.onUnstubbedRequest = { report in log(report.description) }
///
/// Secrets are redacted by the network's rules. Values are cut at 256 bytes and the whole text at 4096; the fixes are
/// always complete. `jsonString` contains the same for programs.
public struct UnstubbedRequestReport: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The cause, as far as the stubs show it.
    package enum Cause: String, Sendable, Hashable, Codable {
        /// The stub file does not exist, and nothing is declared.
        case noStubFile = "no stub file"
        /// The stub file, or the network's memory, has no stubs, and nothing is declared.
        case noStubs = "no stubs"
        /// No stub has the request's path, on any host.
        case nothingForThisPath = "nothing for this path"
        /// All stubs that match the request are used up.
        case usedUp = "used up"
        /// The client cancelled the request during the recording, but not now.
        case notCancelled = "not cancelled"
        /// Stubs have the request's path, but differ in something else.
        case differs = "no stub matches"
        /// Several networks intercept `URLSession.shared`, and the request cannot be assigned to one of them.
        ///
        /// Only the error's `report` has this cause. `onUnstubbedRequest` never gets it, because no network handles the
        /// request.
        case ambiguous = "ambiguous"
    }

    /// A suggested fix: a line to paste.
    package struct Fix: Sendable, Hashable, Codable {
        /// The purpose of the line: `To ignore it`.
        package let purpose: String
        /// Swift code, or a command for the shell.
        package let code: String
    }

    /// The stub that comes closest to the request.
    @_spi(Tools) public struct NearestStub: Sendable, Hashable, Codable {
        /// The stub: `stub 3, GET https://api.example.com/users?page=1`; a declared stub by its pattern, `POST /login`.
        public let stub: String
        /// The file and line of the stub: `Stubs/Login.json:42`, `LoginTests.swift:12`; `nil` for a stub recorded in
        /// memory.
        public let location: String?
        /// The differences between the request and the stub, one line each.
        public let differences: [String]
    }

    /// The cause, as far as the stubs show it.
    package let cause: Cause
    /// The request's method and URL.
    public let request: String
    /// The path of the stub file, relative to the current directory for a file inside it; `nil` for stubs in memory.
    public internal(set) var file: String?
    /// The recorded stub that comes closest.
    @_spi(Tools) public internal(set) var nearest: NearestStub?
    /// The suggested fixes, the most likely one first.
    package internal(set) var fixes: [Fix] = []
    /// The whole diagnosis: what happened, which stub comes closest, and what to do now.
    ///
    /// At most 4096 bytes. The first two lines and the fixes are always complete; the lines between them are cut off if
    /// they do not fit.
    public internal(set) var description = ""

    private enum CodingKeys: String, CodingKey {
        case cause, request, file, nearest, fixes
        case description = "text"
    }

    /// The report as one JSON object, keys sorted.
    ///
    /// The keys are `cause`, `request`, `file`, `nearest` (with `stub`, `location` and `differences`), `fixes` (each with
    /// `purpose` and `code`), and `text`, which is the description. A key without a value is left out. Later versions may add
    /// keys, but keep these.
    public var jsonString: String { JSONEncoder.prettyText(of: self) }
}

extension UnstubbedLookup {
    /// Returns the whole diagnosis, of at most 4096 bytes.
    func text(of report: UnstubbedRequestReport) -> String {
        let first = "\(firstSentence(of: report)) The network was not touched."
        let head = [first, settings(report.cause)].compactMap(\.self)
        let onServer = #"If the test passes elsewhere: read "Green here, red in CI" (GreenHereRedInCI.md)."#
        let tail = report.fixes.lines + (advice.environment.isContinuousIntegration ? [onServer] : [])
        let room = 4_096 - Self.byteCount(head) - Self.byteCount(tail)
        return (head + Self.fitting(used(report.cause) + closest(report), in: room) + tail).joined(separator: "\n")
    }

    private func firstSentence(of report: UnstubbedRequestReport) -> String {
        let name = report.request.cut(to: 512)
        let files = report.file.map { file in
            ([file] + shared.map(\.relativeDisplayPath)).map(\.shortenedPath).joined(separator: " with ")
        }
        let stubs = [mode.wrappedValue.rawValue, files].compactMap(\.self).joined(separator: ", ")
        let verb = request.valueName == nil ? "answers" : "has the"
        let start = request.isFrame ? "No frame is left for \(name) (\(stubs)" : "No stub \(verb) \(name) (\(stubs)"
        return switch report.cause {
        case .noStubFile: "\(start)): the stub file does not exist."
        case .noStubs: "\(start)): there are no stubs."
        case .nothingForThisPath: "\(start), \(counts)): none is for this path."
        case .notCancelled:
            """
            When \(name) was recorded, the client cancelled it (\(stubs), \(counts)). This time it was not cancelled, \
            so there is no recorded ending to play.
            """
        case .usedUp: "No stub is left for \(name) (\(stubs), \(counts)): all that match are used up."
        case .differs, .ambiguous: "\(start), \(counts))."
        }
    }

    private var counts: String {
        if request.isFrame { return "\(recorded.count.counting("other frame")) left" }
        var counts = (recorded.count + declared.count).counting("stub")
        if recorded.pathCount > 0 { counts += ", \(recorded.pathCount) for this path" }
        if recorded.usedPathCount > 0 { counts += ", \(recorded.usedPathCount) used" }
        return counts
    }

    /// Returns the settings that apply and their origins; redaction only if it is not the default.
    ///
    /// Without a stub file, only the mode matters.
    private func settings(_ cause: UnstubbedRequestReport.Cause) -> String? {
        func text(_ name: String, _ origin: String) -> String { "\(name) (\(origin.cut(to: 120)))" }
        let modeText = text("mode \(mode.wrappedValue.rawValue)", mode.origin)
        if cause == .noStubFile || request.valueName != nil {
            return mode.origin == SettingOrigin.standard ? nil : "M\(modeText.dropFirst())."
        }
        var texts = [
            text("Matched by \(redact(rules.matchers.description).cut(to: 320))", rules.$matchers.origin),
            text("order \(rules.order)", rules.$order.origin), modeText,
        ]
        let redaction = rules.$redaction.origin
        if redaction != SettingOrigin.standard { texts.append(text("redaction", redaction)) }
        return texts.joined(separator: ", ") + "."
    }

    /// Returns the stubs that match but cannot answer, eight at most.
    private func used(_ cause: UnstubbedRequestReport.Cause) -> [String] {
        let stubs =
            recorded.usedUp.map { "stub \($0.position)\($0.location.map { " (\($0))" } ?? "")" }
            + declared.usedUp.map(redact)
        guard cause == .usedUp || cause == .notCancelled, !stubs.isEmpty else { return [] }
        return [cause == .usedUp ? "Used up:" : "Recorded as:"] + stubs.listed(upTo: 8).map { "  \($0.cut())" }
    }

    /// Returns the stubs that come closest, and the differences.
    private func closest(_ report: UnstubbedRequestReport) -> [String] {
        var lines: [String] = []
        if let nearest = report.nearest {
            lines.append("Closest is \(nearest.stub.cut(to: 512)):")
            let location = nearest.location.map { "at \($0.shortenedPath)" }
            let use = recorded.nearest?.stub.isUsed == false ? "not used so far" : nil
            let remarks = [location, use].compactMap { $0 }
            if !remarks.isEmpty { lines.append("  \(remarks.joined(separator: ", "))") }
            lines += nearest.differences.map { "  \($0)" }
        }
        if let (stub, failing) = declared.nearest {
            let nearest = UnstubbedRequestReport.NearestStub(stub.pattern, stub.location, failing, redact)
            lines.append("Closest declared stub is \("\(nearest.stub) at \(stub.location)".cut(to: 512)):")
            lines += nearest.differences.map { "  \($0)" }
        }
        return lines
    }

    private static func byteCount(_ lines: [String]) -> Int { lines.reduce(0) { $0 + $1.utf8.count + 1 } }

    /// Returns the first lines that fit, and a line with the number of the others.
    private static func fitting(_ lines: [String], in room: Int) -> [String] {
        if byteCount(lines) <= room { return lines }
        var room = room - byteCount(["  and 1000 more lines"])
        let fitting = lines.prefix { line in
            room -= byteCount([line])
            return room >= 0
        }
        return fitting + ["  and \((lines.count - fitting.count).counting("more line"))"]
    }
}

extension UnstubbedRequestReport {
    /// Returns the message about a request of `URLSession.shared` that no network intercepts, without its secrets.
    static func textWithoutInterception(of request: URLRequest) -> String {
        let name = StubRequest(request).map { Redactor(.standard, environment: [:]).redact(text: $0.description) }
        return """
            No stub answers \(name ?? "a request") of URLSession.shared: no network intercepts it here. The network was not \
            touched.
            To stub it in a test:  @Test(.stubbed(sharedSession: true))
            To stub it in an XCTest:  stubbedNetwork(sharedSession: true)
            To stub it anywhere:  let interception = network.interceptSharedSession()
            """
    }

    /// Returns the first line of a report that is shown elsewhere, for the error of its request.
    static func shortText(of report: String) -> String {
        report.prefix { $0 != "\n" } + " See the other failure for the full report."
    }

    /// Creates the report on a request of `URLSession.shared` that could be for any of the interceptions in force.
    init(ambiguous request: String, inForce interceptions: [String]) {
        self.init(cause: .ambiguous, request: request)
        let named = interceptions.listed(upTo: 8).map { "\n  \($0.cut())" }.joined()
        description = """
            The request for \(request.cut(to: 512)) through URLSession.shared was refused: several interceptions were \
            in force when it started, and it was not started in the task of one of them.\(named)
            The real server was not called. Start the request inside interceptingSharedSession, in its task or a child \
            task; requests from a detached task or a dispatch queue, and all requests on Apple's platforms, cannot be \
            assigned to an interception. Or use one interception at a time, or network.session.
            """
    }
}

extension StubbornNetworkError {
    /// The diagnosis, for a request that no stub answers; `nil` for any other error.
    public var report: UnstubbedRequestReport? { detail as? UnstubbedRequestReport }

    /// Returns the error that an unstubbed request fails with; `url` is without secrets.
    ///
    /// The message is short if a test has already failed with the whole report.
    static func unstubbedRequest(_ report: UnstubbedRequestReport, url: URL, isReported: Bool = false) -> Self {
        let code: Code =
            switch report.cause {
            case .notCancelled: .notCancelled
            case .noStubFile: .stubFileNotFound
            default: .unstubbedRequest
            }
        let text = isReported ? UnstubbedRequestReport.shortText(of: report.description) : report.description
        return Self(code, text, url: url, file: report.file.map { URL(fileURLWithPath: $0) }, detail: report)
    }

    /// Returns the error for a request of `URLSession.shared` that no network intercepts, and for which a test has failed.
    static func withoutInterception(_ request: URLRequest) -> Self {
        let text = UnstubbedRequestReport.textWithoutInterception(of: request)
        return Self(.unstubbedRequest, UnstubbedRequestReport.shortText(of: text), url: request.url.map(Redactor.shown))
    }

    /// Returns the error for a request of `URLSession.shared` that could be for any of the interceptions in force.
    static func ambiguousInterception(_ url: URL?, inForce names: [String]) -> Self {
        let url = url.map(Redactor.shown)
        let report = UnstubbedRequestReport(ambiguous: url.map(name) ?? "no URL", inForce: names)
        return Self(.ambiguousInterception, report.description, url: url, detail: report)
    }

    /// Returns the error for a live request that contains a placeholder, with the stub that contained the placeholder
    /// first.
    static func placeholderInRequest(
        _ request: StubRequest,
        _ found: PlaceholderSearch.Found,
        origin: StubSummary?,
        file: URL?,
        fixes: [UnstubbedRequestReport.Fix]
    ) -> Self {
        let source = origin.map { stub in
            let location = stub.location.map { " (\($0))" } ?? ""
            return "It is from stub \(stub.position), \(stub.request.method) \(name(stub.request.url))\(location)."
        }
        let message = """
            \(request.method) \(name(request.url)) was not sent to the real server: its \(found.part.cut()) contains \
            \(found.text.cut()), which takes the place of a secret in a recording. \
            \(source ?? "No stub of this network contains it: the code under test has kept it from an earlier run.")
            \(fixes.lines.joined(separator: "\n"))
            """
        return Self(.placeholderInRequest, message, url: request.url, file: file)
    }
}
