import Foundation
@preconcurrency import Rainbow
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// A stub that differs between two versions of a stub file, and the differences as lines of text.
///
///     ~ GET https://api.example.com/users/42
///         status: 200 → 404
///         body.user.name: "Ada" → "Grace"
///         volatile: headers.Date, headers.ETag
struct StubChange: Sendable {
    let pair: StubPair
    /// The request, and its parts that were added or removed.
    let title: String
    /// The method and the URL; `nil` for the change of a file's name.
    let request: String?
    /// The differences that are not volatile.
    private(set) var details: [String] = []
    /// The parts in which only volatile values differ.
    private(set) var volatileParts: [String] = []

    /// A Boolean value that indicates whether both versions are equal, apart from volatile values and layout.
    var isVolatile: Bool { pair.old != nil && pair.new != nil && details.isEmpty }

    /// The title and the differences.
    var lines: [String] {
        let volatile = volatileParts.isEmpty ? [] : [Self.text(volatileParts).dim]
        let layout = details.isEmpty && volatileParts.isEmpty && isVolatile ? ["another layout".dim] : []
        return [title] + (details + volatile + layout).map { "    \($0)" }
    }

    /// Returns the line for parts in which only volatile values differ: their names, or their number if there are more
    /// than four.
    private static func text(_ volatile: [String]) -> String {
        volatile.count > 4 ? "and \(volatile.count) volatile fields" : "volatile: \(volatile.joined(separator: ", "))"
    }

    private init(pair: StubPair, title: String, request: StubRequest? = nil) {
        self.pair = pair
        self.title = title
        self.request = request.map { "\($0)" }
    }

    /// Creates the change of a file's name.
    init(renamedFrom path: String) {
        self.init(pair: .rename, title: "→".cyan.bold + " renamed from \(path.printable)")
    }

    /// Compares the stubs of a pair.
    ///
    /// - Returns: The change; `nil` for stubs with the same text.
    static func of(
        _ pair: StubPair,
        _ old: StubFile,
        _ new: StubFile,
        _ comparison: RecordingComparison
    ) throws -> Self? {
        switch (pair.old, pair.new) {
        case (let oldIndex?, let newIndex?):
            guard old.text(ofStubAt: oldIndex) != new.text(ofStubAt: newIndex) else { return nil }
            let stub = new.stub(at: newIndex)
            let title = "~".yellow.bold + " \(stub.request)".printableLine
            var change = StubChange(pair: pair, title: title, request: stub.request)
            change.compare(old.stub(at: oldIndex), stub)
            change.add(
                comparison.requestDifferences(oldIndex, newIndex),
                old.stub(at: oldIndex).request.text,
                stub.request.text,
                "request."
            )
            change.add(
                comparison.differences(oldIndex, newIndex, isComplete: true),
                old.stub(at: oldIndex).response.text,
                stub.response.text
            )
            return change
        case (nil, let index?):
            let stub = new.stub(at: index)
            return StubChange(pair: pair, title: "+".green.bold + " \(stub)".printableLine, request: stub.request)
        case (let index?, nil):
            let stub = old.stub(at: index)
            return StubChange(pair: pair, title: "-".red.bold + " \(stub)".printableLine, request: stub.request)
        case (nil, nil): return nil
        }
    }

    /// Notes the URL of the response, and the times of its parts.
    private mutating func compare(_ old: Stub, _ new: Stub) {
        let (head, newHead) = (old.response.head, new.response.head)
        // A response without a URL has the URL of its request, which is compared.
        let areOfRequest = [head, newHead].allSatisfy { $0?.url == nil }
        if !areOfRequest {
            note(
                "response.url",
                head.map { ($0.url ?? old.request.url).absoluteString },
                newHead.map { ($0.url ?? new.request.url).absoluteString }
            )
        }
        let (timing, newTiming) = (old.response.timing, new.response.timing)
        if timing?.secondsToFirstByte != newTiming?.secondsToFirstByte
            || timing?.chunks.map(\.seconds) != newTiming?.chunks.map(\.seconds)
        {
            volatileParts.append("timing")
        }
    }

    private mutating func add(
        _ differences: [VerificationReport.Difference],
        _ old: BodyText?,
        _ new: BodyText?,
        _ prefix: String = ""
    ) {
        let name = { (part: String) in part == "url" ? part : prefix + part }
        volatileParts += differences.filter { $0.severity == .volatile }.map { name($0.part).printableLine }
        let real = differences.filter { $0.severity != .volatile }
        let body = real.filter { $0.part.hasPrefix("body") }
        for difference in real where !difference.part.hasPrefix("body") {
            note(name(difference.part), difference.recorded, difference.received)
        }
        guard !body.isEmpty else { return }
        let isMixed = differences.contains { $0.severity == .volatile && $0.part.hasPrefix("body") }
        if !isMixed, let lines = Self.lines(old, new, insteadOf: body) {
            details += ["\(prefix)body:"] + lines.map { "  \($0)" }
        } else {
            for difference in body { note(name(difference.part), difference.recorded, difference.received) }
            if body.count >= 64 { details.append("… and more differences of the body") }
        }
    }

    /// Returns the differences of two bodies line by line; `nil` if their key paths are more useful.
    ///
    /// An element that is inserted into an array moves all elements after it, which key paths would show as many
    /// differences.
    private static func lines(
        _ old: BodyText?,
        _ new: BodyText?,
        insteadOf differences: [VerificationReport.Difference]
    ) -> [String]? {
        guard let oldText = old, let newText = new else { return nil }
        // An event of a stream is one line.
        if oldText.kind != .json, differences.contains(where: { $0.part.hasPrefix("body[") }) { return nil }
        guard oldText.kind == newText.kind, oldText.kind != .binary, oldText.kind != .image else { return nil }
        let difference = LineDiff(from: oldText.lines, to: newText.lines)
        // A query is on one line in its key path.
        let isQuery = oldText.kind == .graphQL && differences.contains { $0.part.hasSuffix("query") }
        let hasKeyPaths = !isQuery && (oldText.kind == .json || oldText.kind == .graphQL)
        if hasKeyPaths, differences.count < 4 || difference.changedCount >= differences.count * 2 { return nil }
        return difference.lines()
    }

    private mutating func note(_ part: String, _ old: String?, _ new: String?) {
        guard old != new else { return }
        details.append(
            "\(part): ".printableLine + (old ?? "none").printableLine.red + " → " + (new ?? "none").printableLine.green
        )
    }
}

extension StubChange {
    /// Returns the changes between two versions of a stub file, in the order of the newer one.
    static func all(from old: StubFile, to new: StubFile, _ rules: StubDirectoryRules) throws -> [StubChange] {
        let pairs = StubPair.pairs(of: old, and: new, rules)
        let comparison = rules.comparison(old.stubs, new.stubs)
        return try pairs.compactMap { try of($0, old, new, comparison) }
    }
}

extension Collection<StubChange> {
    /// The lines of all changes; all volatile changes are in one line.
    var lines: [String] {
        let volatile = filter(\.isVolatile)
        guard !volatile.isEmpty else { return flatMap(\.lines) }
        let parts = volatile.flatMap(\.volatileParts).reduce(into: [String]()) { parts, part in
            if !parts.contains(part) { parts.append(part) }
        }
        let count = counted(volatile.count, "stub differs", "stubs differ")
        let text = parts.isEmpty ? "layout alone" : "only volatile values: \(parts.joined(separator: ", "))"
        return filter { !$0.isVolatile }.flatMap(\.lines) + ["~ \(count) in \(text)".dim]
    }
}

extension StubRequest {
    fileprivate var text: BodyText? { body.map { BodyText($0, type: headerFields["Content-Type"] ?? "") } }
}

extension StubResponse {
    fileprivate var text: BodyText? { body.map { BodyText($0, type: head?.headerFields["Content-Type"] ?? "") } }
}

extension String {
    /// The text on one line, without characters that control a terminal.
    var printableLine: String { replacingOccurrences(of: "\n", with: "\\n").printable }
}
