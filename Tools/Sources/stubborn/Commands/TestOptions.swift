import ArgumentParser
import Foundation

/// The arguments of the commands that run tests again and again.
struct TestOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The longest time for all runs: 90s, 5m or 1h.", valueName: "time"))
    var budget: TimeBudget = TimeBudget(seconds: 600)

    @Option(help: "The format: text, or json for programs.")
    var format: OutputFormat = .text

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The command that runs the tests.", valueName: "command")
    )
    var command: [String] = []

    /// The message of a command that did not try everything.
    static let timeIsOver = "The time ran out before everything was tried. Allow more with --budget."

    /// Performs work with the command, and removes the files of its runs, even if a signal ends this process.
    func withCommand<Result>(_ work: (TestCommand) throws -> Result) throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("stubborn-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        ChildProcess.atEnd { try? FileManager.default.removeItem(at: directory) }
        return try work(TestCommand(command, filesIn: directory))
    }
}

/// A time on the command line: `90s`, `5m`, `1h`; seconds without a unit.
struct TimeBudget: ExpressibleByArgument {
    let seconds: Double

    init(seconds: Double) { self.seconds = seconds }

    init?(argument: String) {
        guard let seconds = Double(argument, units: ["s": 1, "m": 60, "h": 3600, "": 1]), seconds > 0 else {
            return nil
        }
        self.seconds = seconds
    }

    var defaultValueDescription: String { "\(Int(seconds / 60))m" }
}
