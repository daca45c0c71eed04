import ArgumentParser
import Foundation
import StubbornNetwork

/// Changes the responses that tests receive, and lists the changes that none of them notices.
struct MutateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutate",
        abstract: "Changes recorded values one by one, and lists the changes that no test notices.",
        discussion: """
            The tests run twice without a change, and then with changed responses: different numbers and strings, lists that are \
            empty or in the opposite order, members that are missing, a different status or error. Only what a test receives is changed, \
            one member of all elements of a list at a time. No stub file is written. Values that many tests receive come first.

            Example: look at one directory, for at most two minutes, and write a page:

              stubborn mutate --in Tests/Stubs --budget 2m --page blind-spots.html -- swift test --skip-build

            Many changes share a run if the command is 'swift test', which lists the tests that fail. With a different \
            command, only the exit status counts, so each file has its own runs.

            Exit statuses: 0 every change is noticed, 1 some are not, or the time ran out, 2 the tests fail without a change.
            """
    )

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            "A stub file, or a directory with stub files, to change; may be repeated. By default, all files that the tests use.",
            valueName: "path"
        ),
        completion: .file()
    )
    var paths: [String] = []

    @Option(help: "A file for a page with the report.", completion: .file(extensions: ["html"]))
    var page: String?

    @OptionGroup var options: TestOptions

    func run() throws {
        for path in paths where !FileManager.default.fileExists(atPath: path) {
            throw ToolError("There is no file or directory at \(path.printable). Check the path.")
        }
        let report = try options.withCommand { command in
            var mutation = Mutation(command, budget: options.budget.seconds)
            try mutation.begin(lookingAt: paths)
            let valueCount = mutation.trials.flatMap(\.values.values).joined().count
            Output.say(
                "\(counted(mutation.trials.count, "stub file")), \(counted(valueCount, "value")). A run takes "
                    + "\(String(format: "%.1f", mutation.secondsPerRun)) seconds."
            )
            try mutation.run()
            return MutationReport(mutation)
        }
        if !report.isComplete { Output.say(TestOptions.timeIsOver) }
        if let page { try ToolError.write(Data(report.html().utf8), to: page) }
        try Output.write(options.format == .json ? JSONOutput.text(of: "mutate", report) : report.text)
        if !report.unnoticed.isEmpty || !report.isComplete { throw ExitCode.found }
    }
}
