import ArgumentParser
import Foundation
@preconcurrency import Rainbow
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct PruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes the stubs that no request of a test run used, and the stub files that no test used.",
        discussion: """
            The reports are the files that a run writes into STUB_REPORT. A stub is removed if every network that \
            used its file played back, ended, and lists it as unused. A file is removed if no report lists it, and a \
            different file in its directory is listed, so run all tests of a directory first. A file that git cannot \
            restore is kept, and nothing is removed after a run that failed, made recordings or was killed, unless \
            you pass --force.

            Example: see what a whole run did not need:

              STUB_REPORT=.build/stubs/ swift test
              stubborn prune Tests/Stubs --reports .build/stubs --dry-run
            """
    )

    @Option(name: .customLong("reports"), help: "The directory of a run's reports, or one report.", completion: .file())
    var reports: String

    @Flag(
        name: .customLong("force"),
        help: "Remove even files that git cannot restore, and even after a run that failed or made recordings."
    )
    var isForced = false

    @OptionGroup var options: RewriteOptions

    func run() throws {
        let usage = try RunUsage(in: reports)
        if !isForced, let reason = try usage.reasonToKeepAll(FoundFile.find(in: options.paths)) {
            throw ToolError("\(reason)\nNothing was removed; --force removes it anyway.")
        }
        var unusedFiles: [FoundFile] = []
        let isDone = Result {
            try options.rewrite { found, file in
                if !usage.includes(found), usage.includesDirectory(of: found) { unusedFiles.append(found) }
                let indices = Set(usage.unusedPositions(in: found).map { $0 - 1 }.filter(file.stubs.indices.contains))
                file.removeStubs(at: indices)
                return !indices.isEmpty
            }
        }
        try remove(unusedFiles)
        if options.isDryRun, !unusedFiles.isEmpty, case .success = isDone { throw ExitCode.found }
        try isDone.get()
    }

    private func remove(_ files: [FoundFile]) throws {
        for (git, paths) in Git.repositories(of: files.map(\.path)) {
            let committed = try git.map { try Self.committedNames(in: $0, beside: paths) } ?? []
            for path in paths {
                guard isForced || git.map({ committed.contains($0.name(of: path)) }) == true else {
                    Output.say("\(path.printable): no test used it. It is kept, because git lacks it (--force).")
                    continue
                }
                if options.isDryRun {
                    try Output.write("--- \(path.printable)\n+++ /dev/null".bold)
                } else {
                    try FileManager.default.removeItem(atPath: path)
                    try Output.write("\(path) (removed)")
                }
            }
        }
    }

    /// Returns the names of the files in the directories of some paths whose current content is in git; one call of git lists all
    /// of them.
    private static func committedNames(in git: Git, beside paths: [String]) throws -> Set<String> {
        let directories = Set(paths.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }.map(Git.realPath))
        let list = ["-C", git.root, "--literal-pathspecs", "ls-files", "-z", "--"] + directories
        let known = try Git.run(list).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        return Set(known).subtracting(try git.changes(below: Array(directories)).map(\.name))
    }
}
