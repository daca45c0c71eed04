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

              STUB_REPORT=.build/stubs/ swift test
              stubborn prune Tests/Stubs --reports .build/stubs --dry-run
            """
    )

    @Option(name: .customLong("reports"), help: "The directory of a run's reports, or one report.", completion: .file())
    var reports: String

    @Flag(name: .customLong("force"), help: "Remove files, too, that git does not have as they are.")
    var isForced = false

    @OptionGroup var options: RewriteOptions

    func run() throws {
        let usage = try RunUsage(in: reports)
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
