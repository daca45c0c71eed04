import Benchmark
import Foundation

/// Contenders that are measured in turn, so that a temporary load of the machine slows all of them down.
struct Contest {
    private let contenders: [Contender]

    init(_ contenders: [Contender]) {
        self.contenders = contenders
    }

    /// Runs the rounds: in each, every contender warms up and is then measured; each round begins with a different one.
    ///
    /// - Returns: the seconds that one run of each contender took, by name: the median of each round.
    func run(rounds: Int, warmUps: Int = 1, iterations: Int) throws -> [String: Figure] {
        var figures: [String: Figure] = [:]
        for round in 0..<rounds {
            let suite = BenchmarkSuite(name: "round \(round + 1) of \(rounds)")
            let first = round % contenders.count
            for contender in contenders[first...] + contenders[..<first] { suite.register(benchmark: contender) }
            let settings: [any BenchmarkSetting] = [
                Iterations(iterations), WarmupIterations(warmUps), Format(.none), Quiet(true),
            ]
            var runner = BenchmarkRunner(suites: [suite], settings: settings)
            try runner.run()
            for contender in contenders {
                if let failure = contender.failure { throw failure }
            }
            for result in runner.results {
                let seconds = result.measurements.median / 1_000_000_000
                figures[result.benchmarkName, default: Figure(values: [], unit: .seconds)].values.append(seconds)
            }
        }
        return figures
    }
}

/// Something that is measured.
final class Contender: AnyBenchmark {
    let name: String
    let settings: [any BenchmarkSetting] = []
    /// Kept rather than thrown, because the benchmark library would trap.
    private(set) var failure: (any Error)?

    private let begin, body, end: () throws -> Void

    /// Creates something that is measured: `body`; `begin` and `end`, which run before and after it, are not measured.
    init(
        _ name: String,
        begin: @escaping () throws -> Void = {},
        end: @escaping () throws -> Void = {},
        body: @escaping () throws -> Void
    ) {
        self.name = name
        (self.begin, self.body, self.end) = (begin, body, end)
    }

    func setUp() { attempt(begin) }

    func run(_ state: inout BenchmarkState) { attempt(body) }

    func tearDown() { attempt(end) }

    private func attempt(_ step: () throws -> Void) {
        do { try step() } catch { failure = error }
    }
}
