import Foundation
import Mustache
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The recorded times of a response.
private typealias Timing = (secondsToFirstByte: Double, chunks: [(seconds: Double, byteCount: Int)])

/// A page about recordings, in one file that needs no network: `stubborn report`.
struct ReportPage {
    /// A stub file on the page, with its content in the revision for comparison.
    struct File {
        var path: String
        /// The path of the file in the revision; `nil` for a file that was not renamed.
        var oldPath: String?
        var stubs: [Comparison] = []
        /// The problems of the whole file.
        var problems: [Problem] = []
    }

    /// A stub now and before; without `before` on a page that compares with nothing, and for a new stub.
    struct Comparison {
        var now: Stub?
        var before: Stub?
        /// A Boolean value that indicates whether only volatile values differ.
        var isVolatile = false
        /// The problems that `stubborn check` finds in the stub.
        var problems: [Problem] = []
    }

    var files: [File]
    /// The revision that the stubs are compared with; `nil` for a page that compares with nothing.
    var revision: String?

    /// The longest text of a body on the page, in characters.
    private static let maximumTextLength = 64_000
    /// The longest image on the page, in bytes.
    private static let maximumImageByteCount = 2 << 20

    /// The longest body of a request that is also on the page as a `curl` command, in bytes.
    private static let maximumCommandByteCount = 8_000

    /// The number of rows that the browser lays out at once.
    private static let groupCount = 50

    /// Returns the page as HTML.
    ///
    /// - Throws: An error of the template, which a test would have shown.
    func html() throws -> String {
        let template = try MustacheTemplate(string: Self.text(PackageResources.page_mustache))
        return template.render(values)
    }

    private static func text(_ resource: [UInt8]) -> String { String(decoding: resource, as: UTF8.self) }

    private var values: [String: Any] {
        let stubs = files.flatMap(\.stubs)
        let shown = stubs.compactMap { $0.now ?? $0.before }
        let byteCount = shown.compactMap { $0.response.body?.count }.reduce(0, +)
        let longest = shown.compactMap(\.response.timing).map(Self.end(of:)).max() ?? 0
        let problemCount = (files.flatMap(\.problems) + stubs.flatMap(\.problems)).count
        var values: [String: Any] = [
            "title": files.count == 1 ? "Recording \(files[0].path)" : "Recordings",
            "totals": [
                counted(files.count, "stub file"), counted(shown.count, "stub"), "\(ByteCount(byteCount)) of bodies",
                Self.text(of: shown), problemCount > 0 ? counted(problemCount, "problem") : nil,
            ]
            .compactMap(\.self).joined(separator: ", "),
            "methods": Set(shown.map(\.request.method)).sorted(),
            "outcomes": Set(shown.map(\.outcome)).sorted(),
            "style": Self.text(PackageResources.page_css),
            "script": Self.text(PackageResources.page_js),
            "files": files.enumerated().map { self.values(of: $0.element, at: $0.offset, longest) },
            "isTimed": longest > 0,
        ]
        if let revision {
            let changes = Dictionary(grouping: stubs, by: \.change).mapValues(\.count)
            let list = ["changed", "new", "removed", "volatile", "same"].compactMap { name in
                changes[name].map { "\($0) \(name)" }
            }
            values["against"] = revision
            values["changes"] = list.joined(separator: ", ") + "."
            values["differs"] = !changes.keys.allSatisfy { ["same", "volatile"].contains($0) }
        }
        return values
    }

    /// Returns the numbers of tokens in responses as text; `nil` if there are none.
    private static func text(of stubs: [Stub]) -> String? {
        let usage = TokenUsage(of: stubs)
        return usage.calls > 0 ? "\(usage)" : nil
    }

    private func values(of file: File, at index: Int, _ longest: Double) -> [String: Any] {
        let groups = stride(from: 0, to: file.stubs.count, by: Self.groupCount).map { start in
            let rows = file.stubs.indices[start...].prefix(Self.groupCount).map { number in
                self.values(of: file.stubs[number], "file-\(index + 1)-stub-\(number + 1)", number + 1, longest)
            }
            return ["rowCount": rows.count, "stubs": rows] as [String: Any]
        }
        var values: [String: Any] = [
            "path": file.path.printable,
            // A file that cannot be read has problems in place of stubs.
            "count": file.stubs.isEmpty && !file.problems.isEmpty
                ? ""
                : [counted(file.stubs.count, "stub"), Self.text(of: file.stubs.compactMap { $0.now ?? $0.before })]
                    .compactMap(\.self).joined(separator: ", "),
            "rowCount": file.stubs.count,
            "groups": groups,
            "problems": Self.values(of: file.problems),
        ]
        values["oldPath"] = file.oldPath?.printable
        return values
    }

    private func values(
        of comparison: Comparison,
        _ identifier: String,
        _ number: Int,
        _ longest: Double
    ) -> [String: Any] {
        guard let stub = comparison.now ?? comparison.before else { return [:] }
        var values: [String: Any] = [
            "identifier": identifier,
            "number": number,
            "method": stub.request.method.printable,
            "url": String("\(stub.request)".dropFirst(stub.request.method.count + 1)).printable,
            "status": stub.status,
            "outcome": stub.outcome,
            "statusClass": stub.outcome == "2xx"
                ? "good" : ["3xx", "cancelled"].contains(stub.outcome) ? "odd" : "bad",
            "size": stub.response.body.map { "\(ByteCount($0.count))" } ?? "",
            "messages": [Self.values(ofRequest: stub.request), Self.values(ofResponse: stub)],
            "problems": Self.values(of: comparison.problems),
            "badges": badges(of: comparison),
        ]
        if stub.request.body?.count ?? 0 <= Self.maximumCommandByteCount {
            values["curl"] = CurlExport.command(for: stub.request)
        }
        values["hasBody"] = stub.response.body?.count ?? 0 > 0
        if let timing = stub.response.timing { values["timing"] = Self.values(of: timing, longest) }
        guard revision != nil else { return values }
        values["change"] = comparison.change
        if ["changed", "volatile"].contains(comparison.change) {
            values["hasDifferences"] = true
            values["rows"] = SideBySide(StubText.plain(comparison.before), StubText.plain(comparison.now)).rows.map {
                ["kind": $0.kind.rawValue, "old": $0.old, "new": $0.new]
            }
        }
        return values
    }

    private static func values(of problems: [Problem]) -> [[String: String]] {
        problems.map { ["severity": $0.severity.rawValue, "message": $0.message.printableLine] }
    }

    /// Returns the kinds of a stub's problems, and of its change, for its row.
    private func badges(of comparison: Comparison) -> [[String: String]] {
        let kinds = Set(comparison.problems.map(\.kind)).sorted { $0.rawValue < $1.rawValue }
        let problems = kinds.map { ["kind": $0.severity.rawValue, "name": $0.rawValue] }
        return problems + (revision == nil ? [] : [["kind": comparison.change, "name": comparison.change]])
    }

    private static func values(ofRequest request: StubRequest) -> [String: Any] {
        message("\(request)", request.headerFields, request.plainBody)
    }

    private static func values(ofResponse stub: Stub) -> [String: Any] {
        let fields = stub.response.head?.headerFields ?? [:]
        let title = stub.response.head.map { "HTTP \($0.statusCode)" } ?? "No response"
        var values = message(title, fields, stub.response.body)
        if let failure = stub.response.failure {
            let text = failure.description.map { ": \($0)" } ?? ""
            let meaning = failure.codeName.map { " (\($0))" } ?? ""
            values["error"] = "\(failure.domain) \(failure.code)\(meaning)\(text)".printable
        }
        return values
    }

    private static func message(_ title: String, _ fields: HeaderFields, _ body: Data?) -> [String: Any] {
        var values: [String: Any] = [
            "title": title.printable,
            "hasFields": !fields.isEmpty,
            "fields": fields.map { ["name": $0.name.printable, "value": $0.value.printable] },
        ]
        guard let body, !body.isEmpty else { return values }
        let text = BodyText(body, type: fields["Content-Type"] ?? "")
        // A server can send any string as the type.
        if let format = ImageFormat(body), body.count <= maximumImageByteCount {
            values["caption"] = text.lines.joined(separator: " ")
            values["image"] = "data:image/\(format.rawValue.lowercased());base64,\(body.base64EncodedString())"
            return values
        }
        var content = text.lines.joined(separator: "\n")
        var kind = "\(text.kind.rawValue), \(ByteCount(body.count))"
        if content.count > maximumTextLength {
            content = String(content.prefix(maximumTextLength))
            kind += "; the beginning. See all with stubborn show."
        }
        values["body"] = ["kind": kind, "text": content, "name": text.kind.rawValue]
        return values
    }

    // MARK: Times

    /// Returns a bar: the time to the first byte, and the parts of the body, in percent of the longest response.
    private static func values(of timing: Timing, _ longest: Double) -> [String: Any] {
        let scale = longest > 0 ? 100 / longest : 0
        let text = { (seconds: Double) in String(format: "%.3f s", seconds) }
        var start = timing.secondsToFirstByte
        let parts = timing.chunks.map { chunk in
            let end = timing.secondsToFirstByte + chunk.seconds
            defer { start = end }
            return ["left": percent(start * scale), "width": percent((end - start) * scale)]
        }
        let body =
            timing.chunks.isEmpty
            ? "" : ", body in \(counted(timing.chunks.count, "part")) until \(text(end(of: timing)))"
        return [
            "title": "First byte after \(text(timing.secondsToFirstByte))\(body)",
            "wait": percent(timing.secondsToFirstByte * scale),
            "parts": parts,
        ]
    }

    private static func end(of timing: Timing) -> Double {
        timing.secondsToFirstByte + (timing.chunks.last?.seconds ?? 0)
    }

    private static func percent(_ value: Double) -> String { String(format: "%.2f", min(max(value, 0), 100)) }
}

extension ReportPage.Comparison {
    /// The kind of the change: `same`, `volatile`, `changed`, `new` or `removed`.
    var change: String {
        guard let before else { return "new" }
        guard let now else { return "removed" }
        return now == before ? "same" : isVolatile ? "volatile" : "changed"
    }
}

extension Stub {
    /// The status code or the name of the error, for a narrow column.
    fileprivate var status: String {
        if let failure = response.failure { return failure.isCancellation ? "cancelled" : "error \(failure.code)" }
        return response.head.map { "\($0.statusCode)" } ?? ""
    }

    /// The class of the outcome, for the filter of the page: `2xx`, `error`.
    fileprivate var outcome: String {
        if let failure = response.failure { return failure.isCancellation ? "cancelled" : "error" }
        return response.head.map { "\($0.statusCode / 100)xx" } ?? ""
    }
}
