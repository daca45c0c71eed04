import Foundation

extension UnstubbedRequestReport {
    /// The whole diagnosis: what happened, what came close, what to do now.
    ///
    /// At most 4096 bytes. The first two lines and the fixes are always complete; the lines between them are cut off
    /// where they do not fit.
    public var description: String {
        if cause == .ambiguous { return ambiguityText }
        let head = ["\(firstSentence) The network was not touched."] + [settingsLine].compactMap(\.self)
        let tail = fixes.lines
        let room = 4_096 - Self.byteCount(head) - Self.byteCount(tail)
        return (head + Self.fitting(middleLines, in: room) + tail).joined(separator: "\n")
    }

    private var firstSentence: String {
        let request = request.cut(to: 512)
        let files = file.map { ([$0] + (sharedFiles ?? [])).map(\.shortenedPath).joined(separator: " with ") }
        let mode = settings.mode.value.rawValue
        let stubs = files.map { "\(mode), \($0)" } ?? mode
        let start = isAboutValue ? "No stub has the \(request) (\(stubs)" : "No stub answers \(request) (\(stubs)"
        return switch cause {
        case .noStubDirectory: "\(start)): there is no such directory."
        case .noStubFile: "\(start)): there is no such file."
        case .emptyFile: "\(start)): the file has no stubs."
        case .noStubs: "\(start)): there are no stubs."
        case .nothingForThisPath: "\(start), \(counts)): none is for this path."
        case .notCancelled:
            """
            When \(request) was recorded, the client cancelled it (\(stubs), \(counts)). Now it was not cancelled, and \
            the recording has no end to play.
            """
        case .usedUp: "No stub is left for \(request) (\(stubs), \(counts)): all that match are used up."
        case .differs, .ambiguous: "\(start), \(counts))."
        }
    }

    /// A Boolean value that indicates whether a value is missing that the test makes when it is recorded.
    private var isAboutValue: Bool { request.hasPrefix("value \"") }

    private var counts: String {
        var counts = stubCount.counting("stub")
        if pathStubCount > 0 { counts += ", \(pathStubCount) for this path" }
        if usedPathStubCount > 0 { counts += ", \(usedPathStubCount) used" }
        return counts
    }

    /// The settings in force and their origins; redaction and body encoding only where they are not the default.
    ///
    /// Without a stub file the settings decide nothing, apart from the mode.
    private var settingsLine: String? {
        func text(_ name: String, _ origin: String) -> String { "\(name) (\(origin.cut(to: 120)))" }
        let (mode, encoding) = (settings.mode, settings.bodyEncoding)
        let modeText = text("mode \(mode.value.rawValue)", mode.origin)
        if cause == .noStubFile || cause == .noStubDirectory || isAboutValue {
            return mode.origin == SettingOrigin.standard ? nil : "M\(modeText.dropFirst())."
        }
        let others = [("redaction", settings.redactionOrigin), ("body encoding .\(encoding.value)", encoding.origin)]
        let texts =
            [
                text("Matched by \(settings.matchers.value.cut(to: 320))", settings.matchers.origin),
                text("order \(settings.order.value)", settings.order.origin), modeText,
            ] + others.filter { $0.1 != SettingOrigin.standard }.map(text)
        return texts.joined(separator: ", ") + "."
    }

    private var middleLines: [String] {
        var lines: [String] = []
        if !usedUp.isEmpty {
            lines.append(cause == .usedUp ? "Used up:" : "Recorded as:")
            lines += usedUp.map { "  \($0.cut())" }
        }
        if let nearest {
            lines.append("Closest is \(nearest.stub.cut(to: 512)):")
            let location = nearest.location.map { "at \($0.shortenedPath)" }
            let remarks = [location, nearest.isUnused ? "not asked for so far" : nil].compactMap { $0 }
            if !remarks.isEmpty { lines.append("  \(remarks.joined(separator: ", "))") }
            lines += nearest.differences.map { "  \($0)" }
        }
        if let nearest = nearestDeclared {
            let stub = nearest.location.map { "\(nearest.stub) at \($0)" } ?? nearest.stub
            lines.append("Closest declared is \(stub.cut(to: 512)):")
            lines += nearest.differences.map { "  \($0)" }
        }
        return lines
    }

    /// Returns the text on a request of `URLSession.shared` that no network intercepts, without its secrets.
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
        report.prefix { $0 != "\n" } + " Another failure has the whole report."
    }

    private var ambiguityText: String {
        let named = interceptions.listed(upTo: 8).map { "\n  \($0.cut())" }.joined()
        return """
            The request for \(request.cut(to: 512)) through URLSession.shared was refused: several interceptions were \
            in force while it started, and it was not started in the task of one of them.\(named)
            The real server was not asked. Start the request inside interceptingSharedSession, in its task or a child \
            task; requests from a detached task or a dispatch queue, and all requests on Apple's platforms, cannot be \
            assigned to a task. Or have one interception in force at a time, or use network.session.
            """
    }

    private static func byteCount(_ lines: [String]) -> Int { lines.reduce(0) { $0 + $1.utf8.count + 1 } }

    /// Returns as many lines as fit, from the first on, and a line that counts the rest.
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
