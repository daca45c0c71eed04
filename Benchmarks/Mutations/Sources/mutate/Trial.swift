import Foundation

/// The search for tests that find mistakes: those of the same folder first, for one mistake at a time; then the whole suite,
/// for all the others at once; then the suites of other packages.
struct Trial {
    private let checkout: Checkout
    private var suite: TestSuite
    private let otherSuites: [TestSuite]
    private let sample: [NumberedMutant]
    /// Tests that always or sometimes fail even without a mistake.
    private(set) var unreliable: Set<Test> = []
    private var count = 0

    init(_ checkout: Checkout, _ suite: TestSuite, _ otherSuites: [TestSuite], _ sample: [NumberedMutant]) {
        self.checkout = checkout
        self.suite = suite
        self.otherSuites = otherSuites
        self.sample = sample
    }

    /// Returns the mutants that no test finds.
    mutating func survivors() throws -> [NumberedMutant] {
        var others: [NumberedMutant] = []
        for (index, mutant) in sample.enumerated() {
            say("\n\(index + 1)/\(sample.count) \(mutant)")
            if try !isCaughtInFolder(mutant) { others.append(mutant) }
        }
        var survivors = try survivors(of: others)
        for other in otherSuites where !survivors.isEmpty {
            say("\nBuilding \(other.package) …")
            let build = try other.build(log: "build")
            guard build.status == 0 else {
                throw Failure("The copy of \(other.package) does not build:\n\(build.output.suffix(4000))")
            }
            suite = other
            survivors = try self.survivors(of: survivors)
        }
        return survivors
    }

    /// Runs the tests of the mutant's folder until one finds it.
    private mutating func isCaughtInFolder(_ mutant: NumberedMutant) throws -> Bool {
        let files = try checkout.tests(of: mutant.path)
        guard !files.isEmpty else { return false }
        let names = files.map(NSRegularExpression.escapedPattern).joined(separator: "|")
        let filters = ["/(\(names)):"]
        let run = try run([mutant], filters, stopsAtFailure: true)
        guard run.problem != nil else {
            say("    not found by the tests of its folder (\(Int(run.seconds)) s)")
            return false
        }
        // A crash, or an endless loop, would also end the run of the whole suite, and hide its results for the other mutants.
        if run.crashes || run.hangs && run.failures.isEmpty { return try isCaught(mutant, byEndOf: run, filters) }
        return try isCaught(mutant, by: reliable(run.failures.keys))
    }

    /// Runs the whole suite with several mutants on.
    ///
    /// If it passes, none of them is found. If it fails, each mutant is run against the tests that failed. The mutants that these
    /// tests do not find take part in the next run. If it hangs, each of the next two runs gets half of them.
    private mutating func survivors(of mutants: [NumberedMutant]) throws -> [NumberedMutant] {
        guard !mutants.isEmpty else { return [] }
        say(
            "\nThe whole suite with \(mutants.count) mistakes at once: \(mutants.map { "\($0.number)" }.joined(separator: " "))"
        )
        let run = try run(mutants)
        say("    \(run.problem ?? "it passes") (\(Int(run.seconds)) s)")
        guard run.problem != nil else { return mutants }
        let suspects = try reliable(run.failures.keys)
        let rest = try mutants.filter { try !isCaught($0, by: suspects) }
        if rest.count < mutants.count, !run.hangs { return try survivors(of: rest) }
        guard mutants.count > 1 else { return try rest.filter { try !isCaughtAlone($0, by: suspects, run) } }
        // The mutants may fail only together, or the run may have ended before the test that finds one of them. A mutant that hangs
        // hides the results for the others.
        let middle = rest.count / 2
        return try survivors(of: Array(rest[..<middle])) + survivors(of: Array(rest[middle...]))
    }

    /// Returns a Boolean value that indicates whether tests that crash or hang with a mutant pass without it.
    private mutating func isCaught(
        _ mutant: NumberedMutant,
        byEndOf run: TestSuite.Run,
        _ filters: [String]? = nil
    ) throws -> Bool {
        let isCaught = try self.run([], filters).problem == nil
        say("    \(mutant.number) \(isCaught ? "is caught: " : "")the tests \(run.crashes ? "crash" : "hang")")
        return isCaught
    }

    /// Returns a Boolean value that indicates whether a mutant is found by the end of the whole suite.
    private mutating func isCaughtAlone(
        _ mutant: NumberedMutant,
        by suspects: [Test],
        _ run: TestSuite.Run
    ) throws -> Bool {
        if run.hangs || run.crashes { return try isCaught(mutant, byEndOf: run) }
        if let (test, reason) = run.failures.first(where: { suspects.contains($0.key) }) {
            say("    only once, not again on its own: \(test): \(reason)")
        }
        return false
    }

    /// Returns the tests that pass without a mistake.
    private mutating func reliable(_ tests: some Collection<Test>) throws -> [Test] {
        // A mistake that fails all tests needs no further run.
        let tests = tests.filter { !unreliable.contains($0) }.sorted { $0.description < $1.description }.prefix(30)
        guard !tests.isEmpty else { return [] }
        let run = try run([], tests.map(\.filter))
        if run.hangs {
            // All have begun, so it is not known which one hangs.
            say("    these tests hang without a mistake too: the machine may be busy (--timeout)")
            return []
        }
        for (test, reason) in run.failures where unreliable.insert(test).inserted {
            say("    fails without a mistake too, and does not count: \(test): \(reason)")
        }
        return tests.filter { !unreliable.contains($0) }
    }

    private mutating func isCaught(_ mutant: NumberedMutant, by tests: [Test]) throws -> Bool {
        guard !tests.isEmpty else { return false }
        let run = try run([mutant], tests.map(\.filter), stopsAtFailure: true)
        guard run.problem != nil else { return false }
        say(
            "    \(mutant.number) is caught by \(run.failures.first.map { "\($0.key): \($0.value)" } ?? run.problem ?? "")"
        )
        return true
    }

    private mutating func run(
        _ mutants: [NumberedMutant],
        _ filters: [String]? = nil,
        stopsAtFailure: Bool = false
    ) throws -> TestSuite.Run {
        count += 1
        try checkout.copy(keeping: sample.map(\.path))
        try checkout.switchOn(mutants.map(\.number))
        return try suite.run(filters, stopsAtFailure: stopsAtFailure, log: "run-\(count)")
    }
}
