import ArgumentParser
import Foundation
@preconcurrency import Rainbow
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct ReviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "review",
        abstract: "Goes through the recordings that differ from git's HEAD, one stub at a time.",
        discussion: """
            Press a to accept a stub: it is staged for the next commit. Press r to reject it: the state of HEAD is \
            restored. Press s to decide later, f to accept the rest of the file, l to accept all that is left, u to undo the last \
            answer, w to see the whole stub, ? for this list, q to stop. Each decision takes effect at once; git \
            commit commits what you have accepted. For a renamed file, you are asked once, before its stubs. Without a \
            terminal, use stubborn accept and stubborn reject.

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
        help: "Accept the stubs in which only volatile values differ, by the settings in .stubborn.json."
    )
    var acceptsVolatile = false

    @Option(help: "The format of --list: text, or json for programs.")
    var format: OutputFormat = .text

    @OptionGroup var colors: ColorOptions

    func validate() throws {
        if format == .json, !isList { throw ValidationError("--format json needs --list.") }
    }

    func run() throws {
        if format == .json { Rainbow.enabled = false }
        var review = try Review(paths)
        if acceptsVolatile { try review.acceptVolatile() }
        if isList, format == .json {
            let files = review.files.filter { !$0.pending.isEmpty }
            try Output.write(
                JSONOutput.text(
                    of: "review",
                    ["files": files.map { ChangedFileObject($0.path, renamedFrom: $0.oldPath, $0.pending) }]
                )
            )
        } else if isList {
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
            Output.say("To get what you rejected back: git cat-file blob \(id) > \(path.shellQuoted)")
        }
        if review.failureCount > 0 { throw ExitCode.impossible }
        if review.leftCount > 0 { throw ExitCode.found }
    }
}

/// The files of a review, and the decisions so far.
private struct Review {
    private(set) var files: [ReviewedFile] = []
    private(set) var failureCount = 0
    /// The ids of the git objects that contain files from before the rejection of a new stub; these files are in no
    /// commit.
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
        (files, failureCount) = try ReviewedFile.all(in: paths)
    }

    mutating func acceptVolatile() throws {
        for (index, file) in files.enumerated() {
            let volatile = file.pending.filter(\.isVolatile)
            // Staging a stub of a renamed file stages its name too, so the name has to be decided first.
            guard !volatile.isEmpty, !file.pending.contains(where: { $0.pair == .rename }) else { continue }
            files[index] = try file.accept(volatile)
            acceptedCount += volatile.count
        }
    }

    /// An answer that can be undone.
    private struct Answer {
        let file: Int
        let skippedCount: Int
        let number: Int
        /// The objects that were kept before the answer.
        let kept: [String: String]
        /// The states of the files before the answer, by their indices; none for a stub that was skipped.
        var states: [(file: Int, state: ReviewedFile.State, before: ReviewedFile)] = []
        var acceptedCount = 0
        var rejectedCount = 0
    }

    /// Asks about each stub until all are decided or the person stops.
    mutating func ask(_ keyboard: Keyboard) throws {
        let total = leftCount
        var answers: [Answer] = []
        var (index, skippedCount, number) = (0, 0, 1)
        while index < files.count {
            // The stubs that were left for later are the first of those that are pending.
            guard skippedCount < files[index].pending.count else {
                (index, skippedCount) = (index + 1, 0)
                continue
            }
            keyboard.forgetPressedKeys()
            let (file, change) = (files[index], files[index].pending[skippedCount])
            try show(file, change, "(\(number)/\(total))", keyboard)
            var answer = Answer(file: index, skippedCount: skippedCount, number: number, kept: kept)
            switch try decision(keyboard, file, change) {
            case "a": try accept([change], at: index, &answer)
            case "f": try accept(Array(file.pending[skippedCount...]), at: index, &answer)
            case "l":
                try accept(Array(file.pending[skippedCount...]), at: index, &answer)
                for index in files.indices.dropFirst(index + 1) {
                    try accept(files[index].pending, at: index, &answer)
                }
            case "r":
                answer.states.append((index, try file.state(), file))
                if change.pair.old == nil, change.pair.new != nil, kept[file.path] == nil {
                    kept[file.path] = try file.keep()
                }
                files[index] = try file.reject(change)
                answer.rejectedCount = 1
            case "s": skippedCount += 1
            case Keyboard.resumed: continue
            case "u":
                guard let last = answers.popLast() else {
                    try Output.write("There is no answer to undo.")
                    continue
                }
                try takeBack(last)
                (index, skippedCount, number) = (last.file, last.skippedCount, last.number)
                continue
            default: return
            }
            acceptedCount += answer.acceptedCount
            rejectedCount += answer.rejectedCount
            number += max(1, answer.acceptedCount + answer.rejectedCount)
            answers.append(answer)
        }
    }

    private mutating func accept(_ changes: [StubChange], at index: Int, _ answer: inout Answer) throws {
        guard !changes.isEmpty else { return }
        answer.states.append((index, try files[index].state(), files[index]))
        files[index] = try files[index].accept(changes)
        answer.acceptedCount += changes.count
    }

    private mutating func takeBack(_ answer: Answer) throws {
        for (index, state, before) in answer.states.reversed() {
            files[index] = try before.restored(to: state)
        }
        kept = answer.kept
        acceptedCount -= answer.acceptedCount
        rejectedCount -= answer.rejectedCount
    }

    /// The number of lines of a new or removed stub that are shown at once.
    private static let shownLineCount = 20

    /// Shows a change: the beginning of a new or removed stub, or the differences of a changed one, as far as they fit.
    private func show(_ file: ReviewedFile, _ change: StubChange, _ title: String, _ keyboard: Keyboard) throws {
        var lines = change.lines
        switch (change.pair.old, change.pair.new) {
        case (nil, let new?): lines += StubText(file.working.stub(at: new)).lines.map { "    \($0)" }
        case (let old?, nil): lines += StubText(file.head.stub(at: old)).lines.map { "    \($0)" }
        default: break
        }
        let isWhole = change.pair.old == nil || change.pair.new == nil
        let room = isWhole ? Self.shownLineCount : keyboard.isTerminal ? max(keyboard.lineCount - 6, 8) : lines.count
        let hiddenCount = lines.count - room
        try Output.write("\n" + "\(title) \(file.path.printable)".bold)
        try Output.write(lines.prefix(hiddenCount > 1 ? room : lines.count).joined(separator: "\n"))
        if hiddenCount > 1 { try Output.write("    … \(hiddenCount) more lines: press w".dim) }
    }

    /// Returns `a`, `f`, `l`, `r`, `s`, `u` or `q`; `Keyboard.resumed` after Control-Z, when the stub is shown again.
    private func decision(_ keyboard: Keyboard, _ file: ReviewedFile, _ change: StubChange) throws -> Character {
        while true {
            try Output.write(Data("[a]ccept, [r]eject, [s]kip, [u]ndo, show [w]hole, [?], [q]uit? ".bold.utf8))
            guard !Output.hasNoReader, let key = keyboard.key() else {
                try Output.write("q")
                return "q"
            }
            if key == Keyboard.resumed { return key }
            try Output.write(keyboard.isTerminal ? String(key).printable : "")
            switch key {
            case "a", "f", "l", "r", "s", "u", "q": return key
            // Its other name, for people who search for it.
            case "b": return "u"
            case "w": try page(Self.whole(file, change), keyboard)
            default:
                try Output.write(
                    """
                    a  accept: stage the stub          f  accept the rest of the file
                    r  reject: restore HEAD's state    l  accept all that is left
                    s  skip: decide later              u  undo the last answer (also b)
                    w  show the whole stub             q  quit
                    """
                )
            }
        }
    }

    /// Writes lines; on a terminal, one screen at a time.
    private func page(_ lines: [String], _ keyboard: Keyboard) throws {
        var rest = lines[...]
        let count = keyboard.isTerminal ? max(keyboard.lineCount - 2, 8) : lines.count
        while !rest.isEmpty {
            try Output.write(rest.prefix(count).joined(separator: "\n"))
            rest = rest.dropFirst(count)
            guard !rest.isEmpty else { return }
            try Output.write(Data("-- \(counted(rest.count, "more line")): q to stop, any other key to go on -- ".utf8))
            guard let key = keyboard.key(), key != "q" else { return try Output.write("") }
            try Output.write("")
        }
    }

    /// Returns the lines of the whole stub, including those that were removed and added.
    private static func whole(_ file: ReviewedFile, _ change: StubChange) -> [String] {
        let old = change.pair.old.map { StubText(file.head.stub(at: $0)).lines } ?? []
        let new = change.pair.new.map { StubText(file.working.stub(at: $0)).lines } ?? []
        return Array(LineDiff(from: old, to: new).lines(context: .max / 2).dropFirst())
    }
}
