import Foundation
import Mustache
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The results of changing the recordings: text, JSON, or a page.
struct MutationReport: Encodable {
    /// A change that no test noticed.
    struct Unnoticed: Encodable {
        let file: String
        let stub: Int
        let request: String
        let keyPath: String
        /// The kind of the change: `value`, `order`, `empty`, `first`, `missing`, `absent`, `status`, `failure`, `field` or
        /// `body`.
        let change: String
        /// The change as text: `42 → 41`.
        let description: String
        /// The number of networks that received the stub.
        let received: Int
        /// The number of values in the change: more than one for a member whose members can be missing.
        let values: Int
    }

    struct File: Encodable {
        let file: String
        /// The number of values that were changed.
        var tried = 0
        /// The number of changed values that a test noticed.
        var noticed = 0
        /// The percentage of noticed values; `nil` if nothing was tried.
        var score: Int?
    }

    let testsThatAssertNothing: [String]
    let testsThatAssertNoValue: [String]
    let testsLeftOut: [String]
    private(set) var unnoticed: [Unnoticed] = []
    private(set) var files: [File] = []
    let isComplete: Bool
    let runs: Int

    init(_ mutation: Mutation) {
        testsThatAssertNothing = mutation.testsThatAssertNothing
        testsThatAssertNoValue = mutation.testsThatAssertNoValue
        testsLeftOut = mutation.testsLeftOut
        (isComplete, runs) = (mutation.isComplete, mutation.runCount)
        for trial in mutation.trials { add(trial) }
        // Equal ones keep the order of the files. Header fields come last: clients read few of them.
        unnoticed = unnoticed.enumerated().sorted {
            let isField = ($0.element.change == "field", $1.element.change == "field")
            if isField.0 != isField.1 { return isField.1 }
            return ($1.element.received, $0.offset) < ($0.element.received, $1.offset)
        }
        .map(\.element)
    }

    private mutating func add(_ trial: FileTrial) {
        var file = File(file: trial.file.url.relativePath.relativeToCurrentDirectory)
        for (stub, values) in trial.values.sorted(by: { $0.key < $1.key }) {
            func add(_ path: [String], _ kind: ResponseChange.Kind, _ text: String, values: Int = 1) {
                unnoticed.append(
                    Unnoticed(
                        file: file.file,
                        stub: stub,
                        request: trial.file.stub(at: stub - 1).request.description,
                        keyPath: ResponseChange.keyPath(path),
                        change: kind.rawValue,
                        description: text,
                        received: trial.receivedCounts[stub] ?? 0,
                        values: values
                    )
                )
            }
            var fields: [String] = []
            for value in values {
                // The response as a whole has several values without a key.
                let result = { (kind: ResponseChange.Kind) -> Bool? in
                    if !value.kinds.contains(kind) { return nil }
                    return trial.results[ResponseChange(file: trial.path, stub: stub, path: value.path, kind: kind)]
                }
                if result(.field) == false { fields.append(value.example) }
                let isInsideUnread = trial.isUnread(value.path.dropLast(), of: stub)
                let isUnread = result(.missing) == false
                if isUnread, !isInsideUnread {
                    let count = values.count { $0.path.starts(with: value.path) && $0.kinds.contains(.value) }
                    add(value.path, .missing, "missing", values: max(count, 1))
                }
                if result(.absent) == false { add(value.path, .absent, value.text(of: .absent)) }
                for kind in [ResponseChange.Kind.value, .order, .empty, .first, .status, .failure, .body] {
                    guard let first = result(kind) else { continue }
                    let isNoticed = first || kind == .value && result(.far) == true
                    file.tried += 1
                    file.noticed += isNoticed ? 1 : 0
                    let shown = kind == .value && result(.far) == false ? .far : kind
                    if !isNoticed, !isUnread, !isInsideUnread { add(value.path, kind, value.text(of: shown)) }
                }
            }
            if !fields.isEmpty {
                add([], .field, "header fields: other values of \(fields.joined(separator: ", "))")
            }
        }
        file.score = file.tried == 0 ? nil : file.noticed * 100 / file.tried
        files.append(file)
    }

    // MARK: Text

    /// The report for people.
    var text: String {
        var lines: [String] = []
        func add(_ title: String, _ names: [String]) {
            if !names.isEmpty { lines += [title] + names.map { "  \($0.printable)" } + [""] }
        }
        add("These tests pass whatever they receive:", testsThatAssertNothing)
        add("These tests check only that the response can be read:", testsThatAssertNoValue)
        if !unnoticed.isEmpty { lines.append("No test notices these changes:") }
        var last = ""
        for change in unnoticed {
            let title = "  \(change.file):\(change.stub)  \(change.request)".printable
            if title != last { lines.append(title) }
            last = title
            lines.append("    \(change.text)".printable)
        }
        if !unnoticed.isEmpty { lines.append("") }
        add("These tests fail without a change, or only sometimes, and are left out:", testsLeftOut)
        var table = Table([("noticed", .right), ("of", .right), ("", .right), ("file", .left)])
        for file in files {
            table.append(["\(file.noticed)", "\(file.tried)", file.score.map { "\($0) %" } ?? "", file.file.printable])
        }
        return (lines + table.lines()).joined(separator: "\n")
    }

    // MARK: Page

    /// Returns the page as HTML.
    func html() throws -> String {
        let template = try MustacheTemplate(
            string: String(decoding: PackageResources.mutations_mustache, as: UTF8.self)
        )
        let lists = [
            ("Tests that pass whatever they receive", testsThatAssertNothing),
            ("Tests that check only that the response can be read", testsThatAssertNoValue),
            ("Tests that fail without a change, or only sometimes", testsLeftOut),
        ]
        let tried = files.map(\.tried).reduce(0, +)
        let values: [String: Any] = [
            "style": String(decoding: PackageResources.page_css, as: UTF8.self),
            "totals":
                "\(counted(files.count, "stub file")), \(counted(tried, "value")) changed in \(counted(runs, "run"))",
            "isIncomplete": !isComplete,
            "lists": lists.filter { !$0.1.isEmpty }.map { ["title": $0.0, "names": $0.1] as [String: Any] },
            "files": files.map { file in
                [
                    "path": file.file, "score": file.score.map { "\($0) %, \(file.noticed) of \(file.tried)" } ?? "",
                    "changes": unnoticed.filter { $0.file == file.file }.map { change in
                        [
                            "stub": "\(change.stub)", "request": change.request, "change": change.text,
                            "received": "\(change.received)",
                        ]
                    },
                ] as [String: Any]
            },
        ]
        return template.render(values)
    }
}

extension MutationReport.Unnoticed {
    /// The key path and the change: `users[].age: 42 → 41`.
    var text: String {
        let count = values > 1 ? " (\(counted(values, "value")))" : ""
        return (keyPath.isEmpty ? "" : "\(keyPath): ") + description + count
    }
}

extension ReceivedValue {
    /// Returns a change as text: `42 → 41`.
    func text(of kind: ResponseChange.Kind) -> String {
        switch kind {
        case .value, .far:
            if let note { return note }
            let cut = { (text: String) in text.count > 40 ? text.prefix(40) + "…" : text }
            let scalar = JSONText.scalar(example)
            guard case .scalar(let new)? = scalar.changed(kind) ?? scalar.changed(.value) else { return cut(example) }
            return "\(cut(example)) → \(cut(new))"
        case .order: return "in the opposite order"
        case .empty: return "empty"
        case .first: return "only the first element"
        case .missing: return "missing"
        case .absent: return "missing, with the same default"
        case .failure, .field: return note ?? example
        case .status: return "status \(example) → \(Int(example).map(ResponseChange.status(otherThan:)) ?? 500)"
        case .body: return "body empty"
        }
    }
}

extension String {
    /// The path, relative to the current directory if it is below that.
    var relativeToCurrentDirectory: String {
        let current = Git.realPath(".") + "/"
        let path = Git.realPath(self)
        return path.hasPrefix(current) ? String(path.dropFirst(current.count)) : self
    }
}
