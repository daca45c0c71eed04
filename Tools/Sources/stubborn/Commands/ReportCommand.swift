import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Writes a page about recordings.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Writes one page for a browser: every stub, searchable, with its bodies and times.",
        discussion: """
            The page is one HTML file that loads nothing and runs nothing from elsewhere, so it can be kept as an artifact of
            CI. Its address contains what you search for: report.html#search=login&status=4xx. Stubs are marked with the problems
            that 'stubborn check' finds in them.

            Example: the recordings of a pull request, compared with the main branch:
              stubborn report Tests --against main --output report.html

            Exit statuses: 0 written, 2 written without the files that cannot be read, or not written.
            """
    )

    @Argument(help: "Stub files, and directories to search for them.", completion: .file())
    var paths: [String] = ["."]

    @Option(name: .shortAndLong, help: "The file to write.", completion: .file(extensions: ["html"]))
    var output: String

    @Option(help: ArgumentHelp("Compare with the recordings of a commit or a branch.", valueName: "revision"))
    var against: String?

    func run() throws {
        let history = try against.map { try RecordingHistory(revision: $0, paths) }
        var files: [ReportPage.File] = []
        var check = RecordingCheck(RecordingCheck.Rules())
        check.check(try FoundFile.find(in: paths)) { _ in nil }
        let problems = Dictionary(grouping: check.problems, by: \.file)
        let skip = { (found: FoundFile) in
            files.append(ReportPage.File(path: found.path, problems: problems[found.path] ?? []))
        }
        let failureCount = try FoundFile.forEach(in: paths, skipping: skip) { found, file in
            let page = try ReportPage.File(
                found.path,
                file,
                before: history?.file(at: found, now: file),
                renamedFrom: history?.oldPath(of: found),
                problems: problems[found.path] ?? []
            )
            files.append(page)
        }
        let removed = history?.removedFiles() ?? []
        files += try removed.map { try ReportPage.File($0.path, StubFile(at: $0.file.url), before: $0.file) }
        try ToolError.write(Data(ReportPage(files: files, revision: against).html().utf8), to: output)
        let stubCount = files.map(\.stubs.count).reduce(0, +)
        let usage = TokenUsage(of: files.flatMap(\.stubs).compactMap(\.now))
        Output.say("\(output): \(counted(files.count, "stub file")), \(counted(stubCount, "stub")).")
        if usage.calls > 0 { Output.say("A run that plays each stub once saves \(usage).") }
        if failureCount > 0 { throw ExitCode.impossible }
    }
}
