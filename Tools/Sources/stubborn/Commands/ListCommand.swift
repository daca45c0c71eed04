import ArgumentParser
import Foundation
@preconcurrency import Rainbow
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists stub files with their stubs, sizes, ages and problems.",
        discussion: """
            The age is the time since git's last commit of the file. A file with a problem cannot be read, has a journal \
            of an interrupted recording, or contains recorded errors.

            The tokens are those in responses of language models; they are listed if there are any.

            The exit status is 1 if a file cannot be read or has a leftover journal.

            Example: the five largest recordings of a package:

              stubborn list Tests --format json | jq -r '.files | sort_by(-.bytes)[:5][].file'
            """
    )

    @Argument(help: "Stub files, or directories with stub files below them.", completion: .file())
    var paths: [String] = ["."]

    @Option(help: "The format: text, or json for programs.")
    var format: OutputFormat = .text

    @OptionGroup var colors: ColorOptions

    func run() throws {
        let history = History(of: paths)
        var rows: [Row] = []
        let failureCount = try FoundFile.forEach(in: paths, skipping: { rows.append(Row(unreadable: $0, history)) }) {
            rows.append(Row($0, $1, history))
        }
        let usage = rows.map(\.usage).reduce(TokenUsage(), +)
        if format == .json {
            try Output.write(JSONOutput.text(of: "list", Listing(files: rows, usage: usage)))
        } else if !rows.isEmpty {
            try Output.write(Self.table(rows).lines(fitting: Output.windowSize?.columns).joined(separator: "\n"))
            let directories = Set(rows.map { ($0.file as NSString).deletingLastPathComponent }).count
            let size = ByteCount(rows.map(\.bytes).reduce(0, +))
            let count = "\(counted(rows.map(\.stubs).reduce(0, +), "stub")) in \(counted(rows.count, "file"))"
            Output.say("\(count), \(counted(directories, "directory", "directories")), \(size)")
            if usage.calls > 0 { Output.say("A run that plays each stub once saves \(usage).") }
        }
        if failureCount > 0 || rows.contains(where: { $0.journals > 0 }) { throw ExitCode.found }
    }

    private static func table(_ rows: [Row]) -> Table {
        let hasTokens = rows.contains { $0.usage.calls > 0 }
        var table = Table(
            [
                ("FILE", .left), ("STUBS", .right), ("REQUESTS", .left), ("STATUS", .left), ("SIZE", .right),
            ] + (hasTokens ? [("TOKENS", .right)] : []) + [("AGE", .left), ("PROBLEMS", .left)]
        )
        for row in rows {
            table.append(
                [
                    row.file.printable, "\(row.stubs)", row.requests, Self.text(row.statuses),
                    "\(ByteCount(row.bytes))",
                ] + (hasTokens ? [row.usage.calls > 0 ? "\(row.usage.tokens)" : ""] : [])
                    + [row.age, row.problems.joined(separator: ", ")]
            )
        }
        return table
    }

    /// Returns counts as text, the largest first: `GET 12, POST`.
    fileprivate static func text(_ counts: [String: Int]) -> String {
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let names = sorted.prefix(4).map { name, count in
            let name = name.count > 12 ? name.prefix(11) + "…" : name
            return count == 1 ? name : "\(name) ×\(count)"
        }
        return (names + (sorted.count > 4 ? ["…"] : [])).joined(separator: ", ").printable
    }

    /// The commits of the files, if git is installed.
    private struct History {
        private var repositories: [(git: Git, dates: [String: Date], changed: Set<String>)] = []

        init(of paths: [String]) {
            for case (let git?, let paths) in Git.repositories(of: paths) {
                let dates = (try? git.commitDates(below: paths)) ?? [:]
                repositories.append((git, dates, Set(((try? git.changes(below: paths)) ?? []).map(\.name))))
            }
        }

        func state(of path: String) -> (committed: Date?, isChanged: Bool) {
            for repository in repositories {
                let name = repository.git.name(of: path)
                let isChanged = repository.changed.contains(name)
                if let date = repository.dates[name] { return (date, isChanged) }
                if isChanged { return (nil, true) }
            }
            return (nil, false)
        }
    }

    /// The list for programs.
    private struct Listing: Encodable {
        let files: [Row]
        let usage: TokenUsage
    }

    /// A stub file as a line of the table.
    private struct Row: Encodable {
        let file: String
        var stubs = 0
        /// The number of stubs by method, by GraphQL operation, and by status; `error` stands for those without a response.
        var methods: [String: Int] = [:]
        var operations: [String: Int] = [:]
        var statuses: [String: Int] = [:]
        let bytes: Int
        let committed: Date?
        let isChanged: Bool
        var isUnreadable = false
        let journals: Int
        var problems: [String] = []
        var usage = TokenUsage()

        var requests: String {
            let methods = ListCommand.text(methods)
            return operations.isEmpty ? methods : "\(methods) (\(ListCommand.text(operations)))"
        }

        var age: String {
            guard let committed else { return isChanged ? "not committed" : "-" }
            let days = Int(Date().timeIntervalSince(committed) / 86_400)
            let age =
                switch days {
                case ..<1: "today"
                case ..<60: counted(days, "day")
                case ..<730: "\(days / 30) months"
                default: "\(days / 365) years"
                }
            return isChanged ? "\(age), changed" : age
        }

        init(unreadable found: FoundFile, _ history: History) {
            self.init(found, history)
            isUnreadable = true
            problems = ["cannot be read"] + problems
        }

        init(_ found: FoundFile, _ file: StubFile, _ history: History) {
            self.init(found, history)
            for stub in file.stubs {
                stubs += 1
                methods[stub.request.method, default: 0] += 1
                for name in stub.request.graphQLOperationNames { operations[name, default: 0] += 1 }
                if stub.valueName != nil { continue }
                statuses[stub.response.head.map { "\($0.statusCode)" } ?? "error", default: 0] += 1
            }
            usage = TokenUsage(of: file.stubs)
            let errors = file.stubs.filter { $0.response.failure.map { !$0.isCancellation } ?? false }.count
            if errors > 0 { problems.append(counted(errors, "recorded error")) }
        }

        private init(_ found: FoundFile, _ history: History) {
            file = found.path
            bytes = (try? FileManager.default.attributesOfItem(atPath: found.path)[.size] as? Int) ?? 0
            (committed, isChanged) = history.state(of: found.path)
            journals = found.journals.count
            if journals > 0 { problems.append(counted(journals, "leftover journal")) }
        }
    }
}
