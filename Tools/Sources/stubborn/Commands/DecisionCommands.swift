import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct AcceptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Accepts recordings that differ from git's HEAD: stages them, without asking.",
        discussion: """
            Without --stub and --removed it accepts all changes of the files, as the key a of stubborn review does.

            Example: list what is left to review, and accept the second stub of a file:

              stubborn review --list --format json
              stubborn accept Tests/Stubs/LoginTests_testLogin.json --stub 2

            The exit status is 1 if there was nothing to accept.
            """
    )

    @OptionGroup var chosen: ChosenChanges

    func run() throws {
        try chosen.decide("Accepted") { file, change in
            file = try file.accept([change])
        }
    }
}

struct RejectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject",
        abstract: "Rejects recordings that differ from git's HEAD: restores the state of HEAD, without asking.",
        discussion: """
            Without --stub and --removed it rejects all changes of the files, as the key r of stubborn review does. A new file \
            is removed; git keeps its content for two weeks, and the command shows how to restore it.

            Example:

              stubborn reject Tests/Stubs/LoginTests_testLogin.json --stub 2

            The exit status is 1 if there was nothing to reject.
            """
    )

    @OptionGroup var chosen: ChosenChanges

    func run() throws {
        var kept: Set<String> = []
        try chosen.decide("Rejected") { file, change in
            if change.pair.old == nil, change.pair.new != nil, kept.insert(file.path).inserted {
                Output.say("To get it back: git cat-file blob \(try file.keep()) > \(file.path.shellQuoted)")
            }
            file = try file.reject(change)
        }
    }
}

/// The changes to accept or reject.
struct ChosenChanges: ParsableArguments {
    @Argument(help: "Stub files, or directories with stub files below them.", completion: .file())
    var paths: [String]

    @Option(help: "The number of a stub in the current file; may be repeated.")
    var stub: [Int] = []

    @Option(help: "The number that a removed stub has in HEAD; may be repeated.")
    var removed: [Int] = []

    /// Decides about each change, and lists it on standard output.
    ///
    /// - Parameters:
    ///   - word: What is done: `Accepted`.
    ///   - decision: Decides about one change of a file, and replaces it by the resulting file.
    /// - Throws: `ToolError` for a number without a change, `ExitCode` 1 if there is no change, 2 for an unreadable file.
    fileprivate func decide(_ word: String, _ decision: (inout ReviewedFile, StubChange) throws -> Void) throws {
        let (files, failureCount) = try ReviewedFile.all(in: paths)
        if !stub.isEmpty || !removed.isEmpty {
            guard files.count == 1 else {
                throw ToolError("--stub and --removed need one file that differs from HEAD, not \(files.count).")
            }
            let changes = files[0].pending
            for number in stub where !changes.contains(where: { $0.pair.new == number - 1 }) {
                throw ToolError(
                    "Stub \(number) of \(files[0].path.printable) does not differ from HEAD, or is accepted."
                )
            }
            for number in removed where !changes.contains(where: { $0.pair.new == nil && $0.pair.old == number - 1 }) {
                throw ToolError("Stub \(number) of HEAD's \(files[0].path.printable) is not removed.")
            }
        }
        var count = 0
        for var file in files {
            for pair in file.pending.filter(isChosen).map(\.pair).sorted(by: Self.isEarlier) {
                guard let change = file.pending.first(where: { $0.pair == pair }) else { continue }
                let path = file.path
                try decision(&file, change)
                try Output.write("\(word) \(path.printable): \(change.request ?? "its name")".printableLine)
                count += 1
            }
        }
        Output.say("\(counted(count, "change")).")
        if failureCount > 0 { throw ExitCode.impossible }
        if count == 0 { throw ExitCode.found }
    }

    private func isChosen(_ change: StubChange) -> Bool {
        if stub.isEmpty, removed.isEmpty { return true }
        if let new = change.pair.new { return stub.contains(new + 1) }
        return change.pair.old.map { removed.contains($0 + 1) } ?? false
    }

    /// Returns a Boolean value that indicates whether a change is decided before another one.
    ///
    /// The name of the file comes first. Then the last stub comes first, so that the numbers of the others do not
    /// change.
    private static func isEarlier(_ one: StubPair, _ other: StubPair) -> Bool {
        if one == .rename || other == .rename { return one == .rename && other != .rename }
        return (one.new ?? -1, one.old ?? -1) > (other.new ?? -1, other.old ?? -1)
    }
}
