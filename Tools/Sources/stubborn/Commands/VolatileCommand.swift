import ArgumentParser
import Foundation
import StubbornNetwork

/// Records tests twice, and lists the values that differ although nothing has changed.
struct VolatileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volatile",
        abstract: "Records tests twice, and lists the values that differ each time.",
        discussion: """
            The tests record twice, one after the other, into copies: no stub file is changed. A value \
            that differs between the copies, and that is not volatile already (see 'stubborn show --normal'), is noise, such \
            as a duration or a counter. The command lists its name, how often it differs, two values, and the settings to \
            add. --write adds them to .stubborn.json.

            If a status, a word, true or false, or the length of a list differs, that is not noise: the answer depends on the \
            first recording. Reset the server, or look at the test. Such differences are listed, and never written.

            Example:

              stubborn volatile -- swift test --filter LoginTests

            Exit statuses: 0 nothing differs, or all was written, 1 something differs, 2 nothing was recorded, or the time ran \
            out.
            """
    )

    @Flag(name: .customLong("write"), help: "Add the names to .stubborn.json, unless a test has failed.")
    var writes = false

    @OptionGroup var options: TestOptions

    private struct Report: Encodable {
        struct Settings: Encodable {
            let path: String
            let values: [RecordingNoise.Value]
        }

        let settings: [Settings]
        let others: [String]
        let failedTests: [[String]]
        let isWritten: Bool
    }

    func run() throws {
        let (noise, runs) = try options.withCommand { command in
            let directory = FileManager.default.temporaryDirectory
                .appendingPathComponent("stubborn-volatile-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: directory) }
            ChildProcess.atEnd { try? FileManager.default.removeItem(at: directory) }
            let copies = ["first", "second"].map { directory.appendingPathComponent($0) }
            let runs = try record(command, into: copies)
            return (try RecordingNoise(copies[0], copies[1]), runs)
        }
        guard noise.hasAnswer else {
            throw ToolError("No response was recorded. Is the server running? The tests wrote:\n\(runs[1].lastLines)")
        }
        let failed = runs.map { run in
            run.outcomes.isEmpty && run.status != 0 ? ["exit status \(run.status ?? 0)"] : run.failed.sorted()
        }
        let isWritten = writes && failed.allSatisfy(\.isEmpty)
        if isWritten {
            for file in noise.values.keys { try ToolError.write(noise.settings(at: file), to: file.path) }
        }
        if options.format == .json {
            let settings = noise.values.sorted { $0.key.path < $1.key.path }
                .map { Report.Settings(path: $0.key.path, values: $0.value) }
            let report = Report(settings: settings, others: noise.others, failedTests: failed, isWritten: isWritten)
            try Output.write(JSONOutput.text(of: "volatile", report))
        } else {
            try write(noise)
        }
        for (run, names) in zip(["first", "second"], failed) where !names.isEmpty {
            Output.say("Failed in the \(run) recording: \(names.joined(separator: ", ").printable)")
        }
        if writes, !isWritten { Output.say("Nothing was written, because tests failed.") }
        let counts = "\(noise.stubCounts[0]) and \(counted(noise.stubCounts[1], "stub"))"
        let verb = noise.fileCount == 1 ? "was" : "were"
        Output.say("\(counted(noise.fileCount, "stub file")) \(verb) recorded twice, with \(counts).")
        if !noise.others.isEmpty || !noise.values.isEmpty && !isWritten { throw ExitCode.found }
    }

    /// Records the tests into each of two directories.
    private func record(_ command: TestCommand, into copies: [URL]) throws -> [TestRun] {
        var seconds = options.budget.seconds
        return try copies.enumerated().map { index, directory in
            let run = try command.run(recordingInto: directory, isFirst: index == 0, timeout: seconds)
            guard run.status != nil else { throw ToolError(TestOptions.timeIsOver) }
            seconds = max(1, seconds - run.seconds)
            return run
        }
    }

    private func write(_ noise: RecordingNoise) throws {
        for (file, values) in noise.values.sorted(by: { $0.key.path < $1.key.path }) {
            for value in values {
                let times = value.count == 1 ? "once" : "\(value.count) times"
                let examples = value.values.joined(separator: ", then ")
                try Output.write("\(value.list.rawValue): \(value.name): differs \(times): \(examples)".printable)
            }
            try Output.write("\(file.relativePath.printable):")
            try Output.write(String(decoding: noise.settings(at: file), as: UTF8.self).printableLines)
        }
        if !noise.others.isEmpty { try Output.write("Not noise, because the answer depends on more than time:") }
        for other in noise.others { try Output.write("  \(other.printableLine)") }
    }
}
