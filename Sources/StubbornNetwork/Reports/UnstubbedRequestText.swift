import Foundation

/// The text of a report, bounded: what happened and the fixes are always whole, what lies between gives way.
struct UnstubbedRequestText {
    private let report: UnstubbedRequestReport

    static let maximumByteCount = 4_096

    init(_ report: UnstubbedRequestReport) {
        self.report = report
    }

    var text: String {
        if report.cause == .ambiguous { return ambiguity }
        let head = ["\(firstSentence) The network was not touched.", settings]
        let tail = report.fixes.map { "\($0.purpose):  \($0.code)" }
        let room = Self.maximumByteCount - Self.byteCount(head) - Self.byteCount(tail)
        return (head + Self.fitting(middle, in: room) + tail).joined(separator: "\n")
    }

    private var request: String { report.request.cut(to: 512) }

    private var firstSentence: String {
        switch report.cause {
        case .noStubFile:
            let directory = report.file?.deletingLastPathComponent()
            let isThere = directory.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
            return "No stub answers \(request) (\(place)): there is no such \(isThere ? "file" : "directory")."
        case .emptyFile: return "No stub answers \(request) (\(place)): the file has no stubs."
        case .noStubs: return "No stub answers \(request) (\(place)): there are no stubs."
        case .nothingForThisPath:
            return "No stub answers \(request) (\(place), \(counts)): none is for this path."
        case .usedUp: return "No stub is left for \(request) (\(place), \(counts)): all that match are used up."
        case .differs, .ambiguous: return "No stub answers \(request) (\(place), \(counts))."
        }
    }

    private var place: String {
        guard let file = report.file else { return report.mode.rawValue }
        return "\(report.mode.rawValue), \(file.relativeDisplayPath.shortenedPath)"
    }

    private var counts: String {
        var counts = "\(report.stubCount) stub\(report.stubCount == 1 ? "" : "s")"
        if report.pathStubCount > 0 { counts += ", \(report.pathStubCount) for this path" }
        if report.usedPathStubCount > 0 { counts += ", \(report.usedPathStubCount) used" }
        return counts
    }

    private var settings: String {
        let settings = report.settings
        return """
            Matched by \(settings.matchers.cut(to: 320)) (\(settings.matchersSource.cut(to: 120))), order \(settings.order) \
            (\(settings.orderSource.cut(to: 120))), mode \(report.mode.rawValue) (\(settings.modeSource.cut(to: 120))).
            """
    }

    private var middle: [String] {
        var lines: [String] = []
        if !report.usedUp.isEmpty {
            lines.append("Used up:")
            lines += report.usedUp.map { "  \($0.cut())" }
        }
        if let nearest = report.nearest {
            lines.append("Closest is \(nearest.cut(to: 512)):")
            let position = report.position.map { "at \($0.shortenedPath)" }
            let place = [position, report.isNearestUnused ? "not asked for so far" : nil].compactMap { $0 }
            if !place.isEmpty { lines.append("  \(place.joined(separator: ", "))") }
            lines += report.differences.map { "  \($0)" }
        }
        if let nearest = report.nearestDeclared {
            lines.append("Closest declared is \(nearest.cut(to: 512)):")
            lines += report.declaredDifferences.map { "  \($0)" }
        }
        return lines
    }

    private var ambiguity: String {
        let named = report.interceptions.prefix(8).map { "\n  \($0.cut())" }.joined()
        let more = report.interceptions.count > 8 ? "\n  and \(report.interceptions.count - 8) more" : ""
        return """
            The request for \(request) through URLSession.shared was refused: several interceptions were \
            in force while it started, and it was not started in the task of one of them.\(named)\(more)
            The real server was not asked. Start the request inside interceptingSharedSession, in its task or a child task: \
            a detached task, a dispatch queue and, on Apple's platforms, every request has nothing to tell it by. Or have \
            one interception in force at a time, or use network.session.
            """
    }

    private static func byteCount(_ lines: [String]) -> Int {
        lines.reduce(0) { $0 + $1.utf8.count + 1 }
    }

    /// As many lines as fit, from the first on, and how many more there are.
    private static func fitting(_ lines: [String], in room: Int) -> [String] {
        if byteCount(lines) <= room { return lines }
        var room = room - "  and 1000 lines more".utf8.count - 1
        var result: [String] = []
        for line in lines {
            room -= line.utf8.count + 1
            if room < 0 { break }
            result.append(line)
        }
        let rest = lines.count - result.count
        return result + ["  and \(rest) line\(rest == 1 ? "" : "s") more"]
    }
}

extension String {
    /// A path of at most 256 bytes: its end, which names the file, and `…` before it.
    var shortenedPath: String {
        guard utf8.count > 256 else { return self }
        var room = 256 - "…".utf8.count
        let end = reversed().prefix { character in
            room -= character.utf8.count
            return room >= 0
        }
        return "…" + String(end.reversed())
    }
}
