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
    /// The request, and what of it is new or gone.
    let title: String
    /// The method and the URL; `nil` for the change of a file's name.
    let request: String?
    /// The differences that say something.
    private(set) var details: [String] = []
    /// The parts in which only volatile values differ.
    private(set) var volatileParts: [String] = []

    /// A Boolean value that indicates whether both versions say the same, apart from volatile values and layout.
    var isVolatile: Bool { pair.old != nil && pair.new != nil && details.isEmpty }

    /// The title and the differences.
    var lines: [String] {
        let volatile = volatileParts.isEmpty ? [] : [Self.text(volatileParts).dim]
        let layout = details.isEmpty && volatileParts.isEmpty && isVolatile ? ["another layout".dim] : []
        return [title] + (details + volatile + layout).map { "    \($0)" }
    }

    /// Returns the line for parts in which only volatile values differ: their names, or the number of more than four.
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
        _ conversation: ConversationDifferences
    ) throws -> Self? {
        switch (pair.old, pair.new) {
        case (let oldIndex?, let newIndex?):
            guard try old.text(ofStubAt: oldIndex) != new.text(ofStubAt: newIndex) else { return nil }
            let stub = new.stub(at: newIndex)
            let title = "~".yellow.bold + " \(stub.request)".printableLine
            var change = StubChange(pair: pair, title: title, request: stub.request)
            change.compare(old.stub(at: oldIndex), stub, conversation)
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

    private mutating func compare(_ old: Stub, _ new: Stub, _ conversation: ConversationDifferences) {
        let (url, newURL) = (old.request.url, new.request.url)
        if url != newURL, conversation.recorded(new.request).url == url {
            volatileParts.append("url")
        } else {
            note("url", url.absoluteString, newURL.absoluteString)
        }
        let request = { (request: StubRequest) in
            let head = ResponseHead(statusCode: 0, headerFields: request.headerFields)
            return Stub(request: StubRequest(url: request.url), response: StubResponse(head: head, body: request.body))
        }
        compare(request(old.request), request(new.request), conversation, prefix: "request.")

        let (head, newHead) = (old.response.head, new.response.head)
        note("status", head.map { "\($0.statusCode)" }, newHead.map { "\($0.statusCode)" })
        note("error", Self.text(old.response.failure), Self.text(new.response.failure))
        // A response without a URL has that of its request, which was compared.
        let areOfRequest = [head, newHead].allSatisfy { $0 != nil && $0?.url == nil }
        if !areOfRequest {
            note(
                "response.url",
                head.map { ($0.url ?? old.request.url).absoluteString },
                newHead.map { ($0.url ?? new.request.url).absoluteString }
            )
        }
        compare(Self.complete(old), Self.complete(new), conversation, prefix: "")
        let (timing, newTiming) = (old.response.timing, new.response.timing)
        if timing?.secondsToFirstByte != newTiming?.secondsToFirstByte
            || timing?.chunks.map(\.seconds) != newTiming?.chunks.map(\.seconds)
        {
            volatileParts.append("timing")
        }
    }

    /// Returns a response with the same header fields and body, and nothing else.
    private static func complete(_ stub: Stub) -> Stub {
        let head = ResponseHead(statusCode: 0, headerFields: stub.response.head?.headerFields ?? [:])
        var result = stub
        result.response = StubResponse(head: head, body: stub.response.body)
        return result
    }

    private mutating func compare(
        _ old: Stub,
        _ new: Stub,
        _ conversation: ConversationDifferences,
        prefix: String
    ) {
        let differences = conversation.differences(from: old, to: new)
        volatileParts += differences.filter { $0.severity == .volatile }.map { (prefix + $0.part).printableLine }
        let body = differences.filter { $0.severity != .volatile && $0.part.hasPrefix("body") }
        for difference in differences where difference.severity != .volatile && !difference.part.hasPrefix("body") {
            note(prefix + difference.part, difference.recorded, difference.received)
        }
        guard !body.isEmpty else { return }
        if let lines = Self.lines(old.response, new.response, insteadOf: body) {
            details += ["\(prefix)body:"] + lines.map { "  \($0)" }
        } else {
            for difference in body { note(prefix + difference.part, difference.recorded, difference.received) }
            if body.count >= 64 { details.append("… and more differences of the body") }
        }
    }

    /// Returns the differences of two bodies line by line; `nil` where their key paths say more.
    ///
    /// An element that is inserted into an array moves all behind it, which key paths tell as many differences.
    private static func lines(
        _ old: StubResponse,
        _ new: StubResponse,
        insteadOf differences: [VerificationReport.Difference]
    ) -> [String]? {
        guard let oldBody = old.body, let newBody = new.body else { return nil }
        let oldText = BodyText(oldBody, type: old.head?.headerFields["Content-Type"] ?? "")
        let newText = BodyText(newBody, type: new.head?.headerFields["Content-Type"] ?? "")
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

    private static func text(_ failure: StubFailure?) -> String? {
        failure.map { "\($0.domain) \($0.code)" + ($0.description.map { " (\($0))" } ?? "") }
    }
}

extension StubChange {
    /// Returns the changes between two versions of a stub file, in the order of the newer one.
    static func all(from old: StubFile, to new: StubFile, _ rules: StubDirectoryRules) throws -> [StubChange] {
        let pairs = try StubPair.pairs(of: old, and: new, rules)
        let conversation = pairs.conversation(old, new, rules)
        return try pairs.compactMap { try of($0, old, new, conversation) }
    }
}

extension Collection<StubChange> {
    /// The lines of all changes, those that are only volatile in one line.
    var lines: [String] {
        let volatile = filter(\.isVolatile)
        guard !volatile.isEmpty else { return flatMap(\.lines) }
        let parts = volatile.flatMap(\.volatileParts).reduce(into: [String]()) { parts, part in
            if !parts.contains(part) { parts.append(part) }
        }
        let count = counted(volatile.count, "stub differs", "stubs differ")
        let text = parts.isEmpty ? "layout alone" : "volatile values alone: \(parts.joined(separator: ", "))"
        return filter { !$0.isVolatile }.flatMap(\.lines) + ["~ \(count) in \(text)".dim]
    }
}

extension String {
    /// The text on one line, without characters that control a terminal.
    var printableLine: String { replacingOccurrences(of: "\n", with: "\\n").printable }
}
