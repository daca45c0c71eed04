import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The command itself: it has no work of its own, only subcommands.
@main
struct Stubborn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stubborn",
        abstract: "Looks at, reviews, checks, converts and serves the recordings of The Stubborn Network.",
        discussion: """
            A recording is a stub file: a JSON file with requests and the responses that a test gets to them.

            Examples: look at all recordings below this directory, at one of them, and at what has changed since the last \
            commit:

              stubborn list
              stubborn show Tests/Stubs/LoginTests_testLogin.json
              stubborn review

            Data goes to standard output, messages go to standard error.

            Exit statuses:
              0   done, and there is nothing to say
              1   done, and something was found: differences, problems, something left to review
              2   it could not be done: a file that cannot be read, no git, no server
              64  the command was called in a wrong way
            """,
        version: StubbornNetwork.version,
        subcommands: [
            InitCommand.self,
            ListCommand.self,
            ShowCommand.self,
            DiffCommand.self,
            ReportCommand.self,
            ReviewCommand.self,
            AcceptCommand.self,
            RejectCommand.self,
            ExplainCommand.self,
            CheckCommand.self,
            VerifyCommand.self,
            MutateCommand.self,
            MinimizeCommand.self,
            OfflineCommand.self,
            FormatCommand.self,
            RedactCommand.self,
            PruneCommand.self,
            RenameCommand.self,
            ImportCommand.self,
            ExportCommand.self,
            ServeCommand.self,
            RecordCommand.self,
            TextconvCommand.self,
            MergeCommand.self,
        ]
    )

    static func main() async {
        // A pipe whose reader has gone is an error of writing, which must not end a command in the middle of its work.
        signal(SIGPIPE, SIG_IGN)
        do {
            try checkName(in: Array(CommandLine.arguments.dropFirst()))
            var command = try parseAsRoot()
            do {
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            } catch let error as ToolError {
                throw Output.failure(error.message)
            } catch let error as StubbornNetworkError {
                throw Output.failure(error.message)
            } catch let error where [NSCocoaErrorDomain, NSPOSIXErrorDomain].contains((error as NSError).domain) {
                // Its own status would be 1, which says that something was found.
                throw Output.failure(error.localizedDescription)
            }
        } catch {
            exit(withError: error)
        }
    }
}

extension Stubborn {
    /// Checks the name of the command that is called, or that `help` is to explain.
    ///
    /// - Throws: `ValidationError` with the name that comes closest.
    private static func checkName(in arguments: [String]) throws {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let name = words.first, !name.hasPrefix("-"), !(names + ["help"]).contains(name) else { return }
        let closest = names.map { ($0.distance(to: name), $0) }.min { $0.0 < $1.0 }
        let advice = closest.flatMap { $0.0 <= 2 ? "Did you mean \($0.1)?" : nil } ?? "See stubborn --help."
        throw ValidationError("There is no command \(name.printableLine). \(advice)")
    }
}

extension String {
    /// Returns the number of characters to insert, remove, replace or exchange with their neighbour to get another text.
    fileprivate func distance(to other: String) -> Int {
        let (from, to) = (Array(self), Array(other))
        var rows = [Array(0...to.count)]
        for (index, character) in from.enumerated() {
            var row = [index + 1]
            for (column, wanted) in to.enumerated() {
                var best = Swift.min(rows[index][column + 1], row[column]) + 1
                best = Swift.min(best, rows[index][column] + (character == wanted ? 0 : 1))
                if index > 0, column > 0, character == to[column - 1], from[index - 1] == wanted {
                    best = Swift.min(best, rows[index - 1][column - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[from.count][to.count]
    }
}

extension ExitCode {
    /// The exit status of a command that has found something.
    static let found = ExitCode(1)

    /// The exit status of a command that could not do its work.
    static let impossible = ExitCode(2)

    /// The exit status of `verify` where nothing behind a login was verified.
    static let unverified = ExitCode(3)
}
