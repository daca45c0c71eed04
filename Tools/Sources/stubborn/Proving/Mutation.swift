import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The search for values whose changes no test notices.
///
/// The tests run with many changes at once. If a test fails, it notices one of the changes in the files that it reads. If all
/// readers of a file pass, none of them notices any of its changes. So a run gives a result for each file: if the tests pass, for
/// all changes in it. Otherwise, its changes are halved, in the same runs as the changes of other files.
struct Mutation {
    private let command: TestCommand
    /// The seconds for the runs with changes.
    private let budget: Double
    private(set) var trials: [FileTrial] = []
    /// The tests that fail unchanged, or not always in the same way.
    private var leftOut: Set<String> = []
    /// The tests that pass unchanged; empty if the command does not list its tests.
    private var passing: Set<String> = []
    /// The tests that failed although nothing that they receive was changed.
    private var unsteady: Set<String> = []
    private var noticed = Noticed()
    private(set) var runCount = 0
    private(set) var secondsPerRun = 0.0
    /// The largest number of files whose changes share the next run.
    private var share = Int.max
    /// A Boolean value that indicates whether the tests of the next run run one at a time.
    private var takesTurns = false
    private(set) var testCount = 0

    init(_ command: TestCommand, budget seconds: Double) {
        (self.command, budget) = (command, seconds)
    }

    /// The changes that the tests noticed.
    struct Noticed {
        /// The tests that a change reached, each with the number of runs in which it noticed one.
        var counts: [String: Int] = [:]
        /// The tests that noticed a changed value, and not only a missing one or a failed request.
        var ofValues: Set<String> = []
        /// The tests that received a changed value in a successful response.
        ///
        /// For a failure, many tests rightly check only that the request failed.
        var reachedByValues: Set<String> = []
    }

    // MARK: What the tests receive

    /// Runs the tests twice without a change, and finds out which stubs they receive.
    ///
    /// - Parameter paths: The files to change, and directories with files; none for all files that tests use.
    /// - Throws: `ToolError` if no test passes.
    mutating func begin(lookingAt paths: [String] = []) throws {
        let first = try command.run(isFirst: true, reports: true)
        let second = try command.run()
        runCount = 2
        secondsPerRun = second.seconds
        testCount = first.outcomes.count
        leftOut = first.failed.union(second.failed)
        passing = Set(first.outcomes.keys).subtracting(leftOut)
        let passes = first.outcomes.values.contains(.passed)
        guard passes || (first.outcomes.isEmpty && first.status == 0 && second.status == 0) else {
            throw ToolError("The tests fail without a change, so a change would show nothing.\n\(first.lastLines)")
        }
        guard !first.uses.isEmpty else {
            throw ToolError("No test has used a stub file. Run tests that play back stub files.")
        }
        let scope = paths.map { Git.realPath($0) }
        let uses = Dictionary(grouping: first.uses, by: \.file).filter { file, _ in
            let path = Git.realPath(file)
            return scope.isEmpty || scope.contains { path == $0 || path.hasPrefix($0 + "/") }
        }
        for (path, uses) in uses.sorted(by: { $0.key < $1.key }) {
            guard let file = try? StubFile(contentsOf: URL(fileURLWithPath: path)) else { continue }
            var readers: Set<String>? = command.namesTests ? [] : nil
            // A network that received nothing from the file does not notice a change.
            let received = uses.filter { use in
                file.stubs.indices.contains { !use.unusedPositions.contains($0 + 1) }
            }
            for use in received {
                let name = use.test.flatMap { Self.name($0, in: first.outcomes) }
                if let name { readers?.insert(name) } else { readers = nil }
            }
            if readers != nil { readers?.subtract(leftOut) }
            trials.append(FileTrial(path, file, receivedBy: readers, received))
        }
    }

    /// Returns the name that the results have for the test of a network.
    private static func name(_ filter: String, in outcomes: [String: TestRun.Outcome]) -> String? {
        if outcomes[filter] != nil { return filter }
        // A process under test may know its module too.
        let rest = String(filter.drop { $0 != "." }.dropFirst())
        return outcomes[rest] == nil ? nil : rest
    }

    // MARK: Changes

    /// A Boolean value that indicates whether every change was tried.
    var isComplete: Bool { trials.allSatisfy { $0.isComplete } }

    /// Makes changes until all were tried, or until the time has run out.
    ///
    /// - Throws: `ToolError` if the tests cannot be run.
    mutating func run() throws {
        let (limit, end) = (secondsPerRun * 5 + 10, DispatchTime.now() + budget)
        while DispatchTime.now() < end {
            let chosen = nextTrials()
            if chosen.isEmpty { break }
            var replacements: [String: Data] = [:]
            for index in chosen { replacements[trials[index].path] = try trials[index].changedText() }
            let run = try command.run(playing: replacements, inTurns: takesTurns, timeout: limit)
            runCount += 1
            judge(chosen, by: run)
        }
    }

    /// Returns the trials whose changes share the next run: no test reads two of the files.
    private mutating func nextTrials() -> [Int] {
        var (chosen, readers) = ([Int](), Set<String>())
        for index in trials.indices where trials[index].prepare() {
            if chosen.count == share { break }
            guard let own = trials[index].readers else {
                if chosen.isEmpty { return [index] }
                continue
            }
            guard readers.isDisjoint(with: own) else { continue }
            readers.formUnion(own)
            chosen.append(index)
        }
        return chosen
    }

    private mutating func judge(_ chosen: [Int], by run: TestRun) {
        let changed = Set(chosen.flatMap { trials[$0].readers ?? [] })
        if chosen.allSatisfy({ trials[$0].readers != nil }) {
            unsteady.formUnion(run.outcomes.filter { $0.value == .failed && !changed.contains($0.key) }.keys)
        }
        let isMostNoticed = self.isMostNoticed
        var suspects: [Int] = []
        var openCount = 0
        for index in chosen {
            trials[index].splitsIntoSingleChanges = isMostNoticed
            let outcomes = (trials[index].readers ?? changed).map { ($0, run.outcomes[$0]) }
            for (test, outcome) in outcomes where outcome == .passed || outcome == .failed {
                noticed.note(test, trials[index], isNoticed: outcome == .failed)
            }
            if trials[index].readers == nil {
                // Any test may receive it.
                let passes = passing.isEmpty ? run.status == 0 : passing.allSatisfy { run.outcomes[$0] == .passed }
                trials[index].settle(isNoticed: !passes)
            } else if outcomes.contains(where: { $0.1 == .failed }) {
                trials[index].settle(isNoticed: true)
            } else if outcomes.contains(where: { $0.1 == .running }) {
                suspects.append(index)
            } else if outcomes.allSatisfy({ $0.1 == .passed }) {
                trials[index].settle(isNoticed: false)
            } else if chosen.count == 1 {
                // The process has ended before this test began, or at its beginning.
                trials[index].settle(isNoticed: true)
            } else {
                openCount += 1
            }
        }
        if suspects.count == 1 {
            for test in trials[suspects[0]].readers ?? [] where run.outcomes[test] == .running {
                noticed.note(test, trials[suspects[0]], isNoticed: true)
            }
            trials[suspects[0]].settle(isNoticed: true)
        }
        avoidCrashes(suspects: suspects.count, open: openCount)
    }

    /// A Boolean value that indicates whether halving would take more runs than testing one change in each run, because many
    /// changes are noticed.
    private var isMostNoticed: Bool {
        let results = trials.map(\.results.values)
        let count = results.map(\.count).reduce(0, +)
        let noticedCount = results.map { $0.count { $0 } }.reduce(0, +)
        return count >= 8 && noticedCount * 5 > count * 2
    }

    /// Decides how to continue after tests that ended their process, or hung.
    ///
    /// Such a test ends the others that run at the same time. If the tests run one at a time, it is the only one that runs. If that
    /// does not help, fewer files share a run.
    private mutating func avoidCrashes(suspects: Int, open: Int) {
        switch suspects {
        case 0 where open == 0: (takesTurns, share) = (false, .max)
        case 1: share = .max
        default:
            if takesTurns { share = max(1, (suspects + open) / 2) }
            takesTurns = true
        }
    }

    // MARK: What was found

    /// The tests that cannot be judged: they fail unchanged, or not always in the same way.
    var testsLeftOut: [String] { leftOut.union(unsteady).sorted() }

    /// The tests that passed with every change of the stubs that they receive.
    var testsThatAssertNothing: [String] {
        testsThatAreKnown.filter { noticed.counts[$0] == 0 && noticed.reachedByValues.contains($0) }
    }

    /// The tests that fail only if something is missing or a request fails, and never for a changed value.
    var testsThatAssertNoValue: [String] {
        testsThatAreKnown.filter {
            noticed.counts[$0] != 0 && noticed.reachedByValues.contains($0) && !noticed.ofValues.contains($0)
        }
    }

    /// The tests that have received every change of their responses.
    private var testsThatAreKnown: [String] {
        let unknown = trials.filter { !$0.isComplete }.reduce(into: Set()) { $0.formUnion($1.readers ?? []) }
        return noticed.counts.keys.filter { !unknown.contains($0) && !unsteady.contains($0) }.sorted()
    }
}

extension Mutation.Noticed {
    /// Notes whether a test noticed the changes that a trial has made.
    fileprivate mutating func note(_ test: String, _ trial: FileTrial, isNoticed: Bool) {
        counts[test, default: 0] += isNoticed ? 1 : 0
        if trial.kind.isOfValue, trial.changesSuccess { reachedByValues.insert(test) }
        if isNoticed, trial.kind.isOfValue || trial.kind == .field { ofValues.insert(test) }
    }
}

extension ResponseChange.Kind {
    /// A Boolean value that indicates whether everything can still be read after the change.
    var isOfValue: Bool { [.value, .far, .order, .first, .failure].contains(self) }
}
