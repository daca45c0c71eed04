import ArgumentParser
import Foundation
@preconcurrency import Rainbow
@_spi(Tools) import StubbornNetwork

struct ReviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "review",
        abstract: "Goes through the recordings that differ from git's HEAD, one stub at a time.",
        discussion: """
            Press a to accept a stub: it is staged for the next commit. Press r to reject it: the file gets back what HEAD \
            has. Press s to decide later, w to see the whole stub, q to stop. Each decision holds at once; git commit \
            commits what you have accepted. A file that was renamed is asked about once, before its stubs.

            The exit status is 1 if something is left to review.

            Example: after recording again, accept new dates and request ids, and look at the rest:

              stubborn review Tests/Stubs --accept-volatile
              git commit -m "Record the login again"
            """
    )

    @Argument(help: "Stub files, or directories with stub files below them.", completion: .file())
    var paths: [String] = ["."]

    @Flag(name: .customLong("list"), help: "List what is left to review, and ask nothing.")
    var isList = false

    @Flag(
        name: .customLong("accept-volatile"),
        help: "Accept the stubs that differ in volatile values alone, by the settings in .stubborn.json."
    )
    var acceptsVolatile = false

    @OptionGroup var colors: ColorOptions

    func run() throws {
        var review = try Review(paths)
        if acceptsVolatile { try review.acceptVolatile() }
        if isList {
            for file in review.files where !file.pending.isEmpty {
                try Output.write(([file.path.printable.bold] + file.pending.lines).joined(separator: "\n"))
            }
        } else if review.leftCount > 0 {
            let keyboard = Keyboard()
            defer { keyboard.end() }
            try review.ask(keyboard)
        }
        Output.say(review.summary)
        for (path, id) in review.kept.sorted(by: { $0.key < $1.key }) {
            Output.say("To get what you rejected back: git cat-file blob \(id) > \(path.printable)")
        }
        if review.failureCount > 0 { throw ExitCode.impossible }
        if review.leftCount > 0 { throw ExitCode.found }
    }
}

/// The files of a review, and the decisions so far.
private struct Review {
    private typealias Versions = ReviewedFile.Versions

    private(set) var files: [ReviewedFile] = []
    private(set) var failureCount = 0
    /// The ids under which git has files as they were before a new stub was rejected, which no commit has.
    private(set) var kept: [String: String] = [:]
    private var acceptedCount = 0
    private var rejectedCount = 0

    var leftCount: Int { files.map(\.pending.count).reduce(0, +) }

    var summary: String {
        let left = leftCount == 0 ? "nothing is left to review" : "\(counted(leftCount, "stub")) left to review"
        guard acceptedCount + rejectedCount > 0 else { return left.prefix(1).uppercased() + left.dropFirst() + "." }
        return "\(acceptedCount) accepted, \(rejectedCount) rejected, \(left)."
    }

    init(_ paths: [String]) throws {
        for (git, paths) in Git.repositories(of: paths) {
            guard let git else {
                throw ToolError(
                    "\(paths[0]) is in no git repository, or git is not installed: there is no HEAD to compare with."
                )
            }
            for path in paths where !FileManager.default.fileExists(atPath: path) {
                // A file that was removed is still to be reviewed.
                guard try git.changedNames(below: [path]).isEmpty else { continue }
                throw ToolError("There is no file and no directory at \(path). Check the path.")
            }
            let names = try git.changedNames(below: paths).filter { $0.lowercased().hasSuffix(".json") }.sorted()
            // Without a HEAD nothing was renamed.
            let renames = (try? git.renames(among: names)) ?? [:]
            let oldNames = Set(renames.values)
            let versions = try ReviewedFile.Versions(of: names, git)
            for name in names where !oldNames.contains(name) {
                add(git.path(of: name), renamedFrom: renames[name].map(git.path), git, versions)
            }
        }
    }

    private mutating func add(_ path: String, renamedFrom oldPath: String?, _ git: Git, _ versions: Versions) {
        do {
            let url = URL(fileURLWithPath: path)
            if FileManager.default.fileExists(atPath: path) {
                guard try FoundFile(path: path, isNamed: false).read() != nil else { return }
            } else if (try? StubFile(versions.head[git.name(of: path)] ?? Data(), at: url)) == nil {
                return
            }
            let rules = try StubDirectoryRules(for: url.deletingLastPathComponent())
            files.append(
                try ReviewedFile(path: path, oldPath: oldPath, git: git, rules: rules, versions: versions)
            )
        } catch {
            failureCount += 1
            Output.say("error: \((error as? StubbornNetworkError)?.message ?? "\(path): \(error)")")
        }
    }

    mutating func acceptVolatile() throws {
        for (index, file) in files.enumerated() {
            let volatile = file.pending.filter(\.isVolatile)
            // Staging a stub of a renamed file stages its name too, which is to be decided first.
            guard !volatile.isEmpty, !file.pending.contains(where: { $0.pair == .rename }) else { continue }
            files[index] = try file.accept(volatile)
            acceptedCount += volatile.count
        }
    }

    /// Asks about each stub until all are decided or the person stops.
    mutating func ask(_ keyboard: Keyboard) throws {
        let total = leftCount
        var number = 0
        for index in files.indices {
            // The stubs that are left for later come first among those that are pending.
            var skippedCount = 0
            while skippedCount < files[index].pending.count {
                number += 1
                keyboard.forgetPressedKeys()
                let (file, change) = (files[index], files[index].pending[skippedCount])
                try Output.write("\n" + "(\(number)/\(total)) \(file.path.printable)".bold)
                try Output.write(change.lines.joined(separator: "\n"))
                switch try decision(keyboard, file, change) {
                case "a":
                    files[index] = try file.accept([change])
                    acceptedCount += 1
                case "r":
                    if change.pair.old == nil, change.pair.new != nil, kept[file.path] == nil {
                        kept[file.path] = try file.keep()
                    }
                    files[index] = try file.reject(change)
                    rejectedCount += 1
                case "s":
                    skippedCount += 1
                default: return
                }
            }
        }
    }

    /// Returns `a`, `r`, `s` or `q`.
    private func decision(_ keyboard: Keyboard, _ file: ReviewedFile, _ change: StubChange) throws -> Character {
        while true {
            try Output.write(Data("[a]ccept, [r]eject, [s]kip, show [w]hole, [q]uit? ".bold.utf8))
            guard !Output.hasNoReader, let key = keyboard.key() else {
                try Output.write("q")
                return "q"
            }
            try Output.write(keyboard.isTerminal ? String(key).printable : "")
            switch key {
            case "a", "r", "s", "q": return key
            case "w": try Output.write(Self.whole(file, change).joined(separator: "\n"))
            default: try Output.write("Press one of a, r, s, w and q.")
            }
        }
    }

    /// Returns the lines of the whole stub, with those that are gone and new.
    private static func whole(_ file: ReviewedFile, _ change: StubChange) -> [String] {
        let old = change.pair.old.map { StubText(file.head.stub(at: $0)).lines } ?? []
        let new = change.pair.new.map { StubText(file.working.stub(at: $0)).lines } ?? []
        return Array(LineDiff(from: old, to: new).lines(context: .max / 2).dropFirst())
    }
}
