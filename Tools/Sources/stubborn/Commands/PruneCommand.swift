import ArgumentParser
import Foundation
@preconcurrency import Rainbow
@_spi(Tools) import StubbornNetwork

struct PruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes the stubs that no request of a test run asked for, and the stub files that no test did.",
        discussion: """
            The reports are the files that a run writes where STUB_REPORT or its directory says so. A stub is removed if \
            every network that used its file played back, ended, and names it as unused. A file is removed if no report \
            names it, and another file in its directory is named: so run all tests of a directory first. A file that git \
            cannot bring back stays, unless you give --force.

            Example: see what a whole run did not need:

              stubborn prune Tests/Stubs --reports .build/reports --dry-run
            """
    )

    @Option(name: .customLong("reports"), help: "The directory of a run's reports, or one report.", completion: .file())
    var reports: String

    @Flag(name: .customLong("force"), help: "Remove files, too, that git does not have as they are.")
    var isForced = false

    @OptionGroup var options: RewriteOptions

    func run() throws {
        let uses = try Self.uses(in: reports)
        let usedDirectories = Set(uses.keys.map { ($0 as NSString).deletingLastPathComponent })
        var unusedFiles: [FoundFile] = []
        var isDone = Result<Void, any Error>.success(())
        isDone = Result {
            try options.rewrite { found, file in
                let path = Git.realPath(found.path)
                guard let uses = uses[path] else {
                    if usedDirectories.contains((path as NSString).deletingLastPathComponent) {
                        unusedFiles.append(found)
                    }
                    return false
                }
                let indices = Self.unusedIndices(file.stubs, uses, found.path)
                file.removeStubs(at: indices)
                return !indices.isEmpty
            }
        }
        try remove(unusedFiles)
        if options.isDryRun, !unusedFiles.isEmpty, case .success = isDone { throw ExitCode.found }
        try isDone.get()
    }

    private static func uses(in path: String) throws -> [String: [ReportedUse]] {
        var uses: [String: [ReportedUse]] = [:]
        var count = 0
        for file in try FoundFile.find(in: [path]) {
            guard let all = ReportedUse.all(in: file.url) else {
                Output.say("\(file.path.printable) is no report of a run, and is left out.")
                continue
            }
            count += 1
            for use in all { uses[Git.realPath(use.file), default: []].append(use) }
        }
        guard count > 0 else {
            throw ToolError("There are no reports in \(path). Run the tests with STUB_REPORT set to a file in it.")
        }
        return uses
    }

    /// Returns the indices of the stubs that no network asked for.
    ///
    /// Of stubs with the same request, the last ones are unused: they are played in their order.
    private static func unusedIndices(_ stubs: [Stub], _ uses: [ReportedUse], _ path: String) -> Set<Int> {
        guard uses.allSatisfy(\.isConclusive), let first = uses.first else { return [] }
        let counts = uses.map { use in use.unused.reduce(into: [:]) { $0[$1, default: 0] += 1 } as [String: Int] }
        var result: Set<Int> = []
        for request in Set(first.unused) {
            let count = counts.map { $0[request] ?? 0 }.min() ?? 0
            let indices = stubs.indices.filter { stubs[$0].request.description == request }
            guard count > 0, count <= indices.count else { continue }
            if count < indices.count, Set(indices.map { stubs[$0].request }).count > 1 {
                let text = "\(path): \(count) of \(indices.count) stubs for \(request)".printableLine
                Output.say("\(text) were not used, and stay: their requests differ, and the report does not say which.")
            } else {
                result.formUnion(indices.suffix(count))
            }
        }
        return result
    }

    private func remove(_ files: [FoundFile]) throws {
        for file in files {
            guard isForced || Self.isCommitted(file.path) else {
                Output.say(
                    "\(file.path.printable): no test asked for it. It stays, because git does not have it (--force)."
                )
                continue
            }
            if options.isDryRun {
                try Output.write("--- \(file.path.printable)\n+++ /dev/null".bold)
            } else {
                try FileManager.default.removeItem(at: file.url)
                try Output.write("\(file.path) (removed)")
            }
        }
    }

    private static func isCommitted(_ path: String) -> Bool {
        guard let git = Git(containing: path), git.content(of: path) != nil else { return false }
        return (try? git.changedNames(below: [path]).isEmpty) ?? false
    }
}
