// `swift run -c release --package-path Benchmarks figures`: every figure in one table.

import ArgumentParser
import Foundation

@main
struct Figures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "figures",
        abstract: "Measures The Stubborn Network next to what it is compared with, and prints the ratios.",
        subcommands: [Measure.self, ProbeLoading.self, Serve.self],
        defaultSubcommand: Measure.self
    )
}

struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures, and prints the table. The default.")

    enum Part: String, CaseIterable, ExpressibleByArgument {
        case playback, test, loading, recording, directory
    }

    @Argument(help: "What to measure: playback, test, loading, recording, directory; all of it by default.")
    var parts: [Part] = Part.allCases

    @Option(help: "How often everything is measured in turn; a ratio is the median of the rounds' ratios.")
    var rounds = 9

    @Option(help: "Saves the ratios as those of this commit in Benchmarks/Ratios.json.")
    var save: String?

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("At least one round is needed.") }
    }

    func run() throws {
        // On Linux requests go through the proxy of the shell, which does not know this machine's loopback.
        setenv("no_proxy", "127.0.0.1", 1)
        var table = Table(last: try Ratios.last())
        try TemporaryDirectory.with { directory in
            if parts.contains(.playback) { table.rows += try PlaybackFigures(directory, rounds: rounds).rows() }
            if parts.contains(.test) { table.rows += try TestFigures(directory, rounds: rounds).rows() }
            if parts.contains(.loading) { table.rows += try LoadingFigures(directory, rounds: rounds).rows() }
            if parts.contains(.recording) { table.rows += try RecordingFigures(directory, rounds: rounds).rows() }
            if parts.contains(.directory) { table.rows += try DirectoryFigures(directory, rounds: rounds).rows() }
        }
        print("Medians of \(rounds) rounds on \(ProcessInfo.processInfo.activeProcessorCount) processors, in turn.")
        print(table)
        if let save {
            let saved = table.last?.ratios ?? [:]
            try Ratios(commit: save, ratios: saved.merging(table.ratios) { $1 }).save()
        }
    }
}
