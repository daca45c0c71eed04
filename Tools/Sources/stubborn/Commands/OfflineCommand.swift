import ArgumentParser
import Foundation

/// Runs the tests without a network, and lists the attempts to reach it.
struct OfflineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offline",
        abstract: "Runs tests without a network, and lists the processes that tried to reach a different machine.",
        discussion: """
            The network is blocked from outside the processes. The result therefore includes clients without stubs, and the \
            programs that a test starts. The loopback interface works as usual. The command shows what blocks the network:

              Linux   a separate network namespace; if the system does not allow it, a filter of system calls (seccomp)
              macOS   sandbox-exec

            Example:

              stubborn offline -- swift test --skip-build

            Exit statuses: 0 nothing tried to reach another machine, 1 something did, 2 the command itself failed, 3 this \
            system allows neither, and nothing was run.
            """
    )

    @Option(help: "The format: text, or json for programs.")
    var format: OutputFormat = .text

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The command that runs the tests.", valueName: "command")
    )
    var command: [String] = []

    private struct Report: Encodable {
        let wall: OfflineRun.Wall
        let attempts: [OfflineRun.Attempt]
        let exitStatus: Int32
    }

    func run() throws {
        guard !command.isEmpty else {
            throw ToolError("Pass the command that runs the tests after --: -- swift test --skip-build")
        }
        guard let run = try OfflineRun.run(TestCommand.withoutLock(command), writesToErrors: format == .json) else {
            Output.say(
                """
                error: This system allows neither a network namespace nor a filter of system calls, so nothing was run. In a \
                container, allow them: docker run --security-opt seccomp=unconfined, or --network none without this command.
                """
            )
            throw ExitCode.notAllowed
        }
        if format == .json {
            let report = Report(wall: run.wall, attempts: run.attempts, exitStatus: run.status)
            try Output.write(JSONOutput.text(of: "offline", report))
        } else {
            for attempt in run.attempts { try Output.write(attempt.text.printable) }
        }
        Output.say("\(run.wall.text): \(run.summary)")
        if !run.attempts.isEmpty { throw ExitCode.found }
        if run.status != 0 { throw ToolError("\(command[0].printable) ended with the exit status \(run.status).") }
    }
}

extension OfflineRun.Wall {
    fileprivate var text: String {
        switch self {
        case .networkNamespace: "In a network namespace with a loopback interface only"
        case .callFilter: "With a filter of system calls"
        case .sandbox: "In a sandbox without connections to other machines"
        }
    }
}

extension OfflineRun {
    fileprivate var summary: String {
        if !namesAttempts { return "nothing reached the network. This system does not report attempts." }
        let count = attempts.map(\.count).reduce(0, +)
        return count == 0
            ? "nothing tried to reach another machine." : "\(counted(count, "attempt")) to reach another machine."
    }
}

extension ExitCode {
    /// The exit status of `offline` on a system that cannot block network access.
    fileprivate static let notAllowed = ExitCode(3)
}
