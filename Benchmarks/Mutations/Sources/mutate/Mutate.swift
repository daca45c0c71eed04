import ArgumentParser
import Foundation
import Mutations

/// The command `mutate`, which makes small mistakes in a copy of the sources and prints those that no test finds.
///
///     .ci/mutate --count 12 --paths Sources/StubbornNetwork/Matching
@main
struct Mutate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutate",
        abstract: "Makes small mistakes in a copy of the sources, one at a time, and prints those that no test finds.",
        discussion: """
            All mistakes are built into one copy of the checkout, which lies in the scratch folder; the numbers in its file \
            `mutant` choose some, in the tests' own processes too. The tests of the same folder come first, for one mistake at \
            a time, then the whole suite, for all that are left at once, then the tests of `--packages`. A test that fails \
            without the mistake too does not count. To look at survivor 7 again, write 7 into that file and run \
            `swift test --skip-build` there.
            """
    )

    @Option(help: "The same seed makes the same sample of the same sources.")
    var seed: UInt64 = 1

    @Option(help: "The number of mistakes in the sample.")
    var count = 30

    @Option(parsing: .upToNextOption, help: "The files and folders in which mistakes are made.")
    var paths = ["Sources"]

    @Option(help: "Make mistakes only in lines that changed since this revision.")
    var since: String?

    @Option(help: "Run only the tests that match this expression, for a quick trial.")
    var filter: String?

    @Option(
        parsing: .upToNextOption,
        help: "The folders of other packages, such as Tools, the tests of which look for what is left at the end."
    )
    var packages: [String] = []

    @Option(help: "The seconds without a word from the tests after which they hang; more for a busy machine.")
    var timeout = 180.0

    @Option(help: "The folder for the copy and its build, kept for the next time.")
    var scratch = ".build/mutations"

    @Flag(help: "Print the sample and run nothing.")
    var list = false

    func validate() throws {
        guard count > 0 else { throw ValidationError("--count needs at least one mistake.") }
    }

    func run() throws {
        let checkout = try Checkout(copyingTo: scratch)
        let sample = try sample(of: checkout)
        guard !sample.isEmpty else { return say("There is nothing to change in these lines.") }
        if list { return sample.forEach { say($0.description) } }

        Interruption.catchSignals()
        do {
            try run(sample, checkout)
        } catch let interruption as Interruption {
            try checkout.switchOn([])
            say("Ended by the signal \(interruption.signal).")
            throw ExitCode(128 + interruption.signal)
        }
    }

    private func run(_ planned: [NumberedMutant], _ checkout: Checkout) throws {
        let suite = try TestSuite(checkout, filter: filter, patience: timeout)
        let sample = try Build(checkout, suite).run(planned)
        say("\(sample.count) mistakes are built in.")
        let others = try packages.map { try TestSuite(checkout, package: $0, filter: nil, patience: timeout) }
        var trial = Trial(checkout, suite, others, sample)
        let survivors = try trial.survivors()
        try checkout.switchOn([])

        let caught = sample.count - survivors.count
        if !survivors.isEmpty { say("\nSurvivors:\n\(survivors.map(\.description).joined(separator: "\n"))") }
        say(
            """

            Score: \(caught) of \(sample.count) caught (\(sample.isEmpty ? 0 : caught * 100 / sample.count) %), \
            \(survivors.count) survived, \(planned.count - sample.count) did not compile. Seed \(seed).
            """
        )
    }

    private func sample(of checkout: Checkout) throws -> [NumberedMutant] {
        let changed = try since.map(checkout.linesChanged)
        let all = try checkout.sources(in: paths).flatMap { path in
            try Mutations.MutantFinder.mutants(in: checkout.text(of: path)).filter { mutant in
                changed.map { $0[path]?.contains(mutant.line) ?? false } ?? true
            }.map { (path, $0) }
        }
        say("\(all.count) mistakes are possible.")
        var generator = SplitMix(state: seed)
        return all.shuffled(using: &generator).prefix(count).enumerated().map {
            NumberedMutant(number: $0 + 1, path: $1.0, mutant: $1.1)
        }
    }
}

/// A mutant, with its file and the number that switches it on.
struct NumberedMutant: CustomStringConvertible {
    let number: Int
    let path: String
    let mutant: Mutant

    var description: String {
        """
        \(path):\(mutant.line)  \(mutant.kind.rawValue) (mutant \(number))
            - \(mutant.before)
            + \(mutant.after)
        """
    }
}

/// Random numbers that a seed decides: Vigna's SplitMix64.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Prints a line at once, even if the output is a file.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
