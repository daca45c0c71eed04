import ArgumentParser
import Foundation
import StubbornNetwork

/// Changes what tests receive, and lists what none of them notices.
struct MutateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutate",
        abstract: "Changes recorded values one by one, and lists the changes that no test notices.",
        discussion: """
            The tests run twice as they are, and then with changed responses: other numbers and texts, lists that are \
            empty or in the opposite order, members that are missing, another status or error. Only what a test receives is changed, \
            one member of all elements of a list at a time. No stub file is written. Values that many tests receive come first.

            Example: look at one directory, for at most two minutes, and write a page:

              stubborn mutate --in Tests/Stubs --budget 2m --page blind-spots.html -- swift test --skip-build

            Many changes share a run if the command is 'swift test', which names the tests that fail. Of another command \
            only the exit status counts, so each file has its own runs. When the time is over, call the command again: it \
            goes on where it ended.

            Exit statuses: 0 every change is noticed, 1 some are not, or the time was over, 2 the tests fail as they are.
            """
    )

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            "A stub file, or a directory with stub files, to look at; may be repeated. Without it, all that the tests use.",
            valueName: "path"
        ),
        completion: .file()
    )
    var paths: [String] = []

    @Flag(help: "Forget what an earlier call has found before its time was over.")
    var again = false

    @Option(help: "A file for a page with the report.", completion: .file(extensions: ["html"]))
    var page: String?

    @OptionGroup var options: TestOptions

    func run() throws {
        for path in paths where !FileManager.default.fileExists(atPath: path) {
            throw ToolError("There is no file and no directory at \(path.printable). Check the path.")
        }
        let report = try options.withCommand { command in
            let state = MutationState.file(of: ([command.text] + paths).joined(separator: "\n"))
            var mutation = Mutation(command, budget: options.budget.seconds)
            try mutation.begin(lookingAt: paths)
            if again { try? FileManager.default.removeItem(at: state) }
            if MutationState.restore(from: state, into: &mutation) { Output.say("Going on where the last call ended.") }
            let valueCount = mutation.trials.flatMap(\.values.values).joined().count
            Output.say(
                "\(counted(mutation.trials.count, "stub file")), \(counted(valueCount, "value")). A run takes "
                    + "\(String(format: "%.1f", mutation.secondsPerRun)) seconds."
            )
            try mutation.run { try MutationState($0).write(to: state) }
            if mutation.isComplete {
                try? FileManager.default.removeItem(at: state)
            } else {
                Output.say(
                    "The time is over. Call the command again to go on: the results so far are in \(state.relativePath)."
                )
            }
            return MutationReport(mutation)
        }
        if let page { try ToolError.write(Data(report.html().utf8), to: page) }
        try Output.write(options.format == .json ? JSONOutput.text(of: "mutate", report) : report.text)
        if !report.unnoticed.isEmpty || !report.isComplete { throw ExitCode.found }
    }
}
