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
            commits what you have accepted.

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
            try review.ask(Keyboard())
        }
        Output.say(review.summary)
        if review.failureCount > 0 { throw ExitCode.impossible }
        if review.leftCount > 0 { throw ExitCode.found }
    }
}

/// The files of a review, and the decisions so far.
private struct Review {
    private(set) var files: [ReviewedFile] = []
    private(set) var failureCount = 0
    private var acceptedCount = 0
    private var rejectedCount = 0

    var leftCount: Int { files.map(\.pending.count).reduce(0, +) }

    var summary: String {
        let left = leftCount == 0 ? "nothing is left to review" : "\(counted(leftCount, "stub")) left to review"
        guard acceptedCount + rejectedCount > 0 else { return left.prefix(1).uppercased() + left.dropFirst() + "." }
        return "\(acceptedCount) accepted, \(rejectedCount) rejected, \(left)."
    }

    init(_ paths: [String]) throws {
        var known: Set<String> = []
        for path in paths {
            guard let git = Git(containing: path) else {
                throw ToolError(
                    "\(path) is in no git repository, or git is not installed: there is no HEAD to compare with."
                )
            }
            for name in try git.changedNames(below: [path]).sorted() where name.lowercased().hasSuffix(".json") {
                guard known.insert(git.root + "/" + name).inserted else { continue }
                add(git.path(of: name), git)
            }
        }
    }

    private mutating func add(_ path: String, _ git: Git) {
        do {
            if FileManager.default.fileExists(atPath: path) {
                guard try FoundFile(path: path, isNamed: false, journals: []).read() != nil else { return }
            } else if (try? StubFile(git.content(of: path) ?? Data(), at: URL(fileURLWithPath: path))) == nil {
                return
            }
            files.append(try Self.read(path, git))
        } catch {
            failureCount += 1
            Output.say("error: \((error as? StubbornNetworkError)?.message ?? "\(path): \(error)")")
        }
    }

    private static func read(_ path: String, _ git: Git) throws -> ReviewedFile {
        let rules = try StubDirectoryRules(for: URL(fileURLWithPath: path).deletingLastPathComponent())
        return try ReviewedFile(path: path, git: git, rules: rules)
    }

    mutating func acceptVolatile() throws {
        for (index, file) in files.enumerated() {
            let volatile = file.pending.filter(\.isVolatile)
            guard !volatile.isEmpty else { continue }
            try file.accept(volatile)
            acceptedCount += volatile.count
            files[index] = try Self.read(file.path, file.git)
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
                let (file, change) = (files[index], files[index].pending[skippedCount])
                try Output.write("\n" + "(\(number)/\(total)) \(file.path.printable)".bold)
                try Output.write(change.lines.joined(separator: "\n"))
                switch try decision(keyboard, file, change) {
                case "a":
                    try file.accept([change])
                    acceptedCount += 1
                case "r":
                    try file.reject(change)
                    rejectedCount += 1
                case "s":
                    skippedCount += 1
                    continue
                default: return
                }
                files[index] = try Self.read(file.path, file.git)
            }
        }
    }

    /// Returns `a`, `r`, `s` or `q`.
    private func decision(_ keyboard: Keyboard, _ file: ReviewedFile, _ change: StubChange) throws -> Character {
        while true {
            try Output.write(Data("[a]ccept, [r]eject, [s]kip, show [w]hole, [q]uit? ".bold.utf8))
            guard let key = keyboard.key() else {
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
        let old = change.pair.old.map { StubText(file.head.stubs[$0]).lines } ?? []
        let new = change.pair.new.map { StubText(file.working.stubs[$0]).lines } ?? []
        return Array(LineDiff(from: old, to: new).lines(context: .max / 2).dropFirst())
    }
}
