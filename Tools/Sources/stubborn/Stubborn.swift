import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The command itself: it only has subcommands.
@main
struct Stubborn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stubborn",
        abstract: "Shows, reviews, checks, converts and serves the recordings of The Stubborn Network.",
        discussion: """
            A recording is a stub file: a JSON file with requests and the responses that a test gets to them.

            Examples: look at all recordings below this directory, at one of them, and at what has changed since the last \
            commit:

              stubborn list
              stubborn show Tests/Stubs/LoginTests_testLogin.json
              stubborn review

            Data goes to standard output, messages go to standard error.

            Exit statuses:
              0   success; nothing to report
              1   success; there are differences, problems, or stubs to review
              2   failure: an unreadable file, or a missing git or server
              3   requests with placeholders were not sent (verify), or this system cannot block network access (offline)
              64  invalid arguments
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
            VolatileCommand.self,
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
        // Writing to a pipe without a reader is an error, which must not end a command in the middle of its work.
        signal(SIGPIPE, SIG_IGN)
        do {
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
                throw Output.failure(error.description)
            } catch let error where [NSCocoaErrorDomain, NSPOSIXErrorDomain].contains((error as NSError).domain) {
                // Its own status would be 1, which says that something was found.
                throw Output.failure(error.localizedDescription)
            }
        } catch {
            exit(withError: error)
        }
    }
}

extension ExitCode {
    /// The exit status of a command that has found something.
    static let found = ExitCode(1)

    /// The exit status of a command that could not do its work.
    static let impossible = ExitCode(2)

    /// The exit status of `verify` if a request was not sent.
    static let unverified = ExitCode(3)
}
