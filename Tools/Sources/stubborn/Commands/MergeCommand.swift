import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merges two versions of a stub file, stub by stub, for git merge and git rebase.",
        discussion: """
            After 'stubborn init --git', git calls this for each stub file that both branches have changed. If only one \
            branch added, changed or removed a stub, the result follows that branch. If both changed a stub, the \
            current branch's stub is kept, and git marks the file as a conflict. The file can still be read and played.

            The exit status is 1 if there is a conflict. A file that is not a stub file is merged by git.

            Example: from now on, git merge and git rebase merge recordings by stub:

              stubborn init --git
            """
    )

    @Argument(help: "The common ancestor.", completion: .file())
    var base: String

    @Argument(help: "The version of the current branch, which is replaced by the result.", completion: .file())
    var ours: String

    @Argument(help: "The version of the other branch.", completion: .file())
    var theirs: String

    @Option(help: "The path of the file in the repository, for its settings and for messages.")
    var path: String?

    func run() throws {
        let url = URL(fileURLWithPath: ours)
        guard let base = Self.file(at: base), let current = Self.file(at: ours), let other = Self.file(at: theirs)
        else {
            return try mergeText()
        }
        let directory = URL(fileURLWithPath: path ?? ours).deletingLastPathComponent()
        // The settings may have a conflict themselves.
        let rules = try (try? StubDirectoryRules(for: directory)) ?? StubDirectoryRules(for: URL(fileURLWithPath: "/"))
        let merge = try StubMerge(base: base, ours: current, theirs: other, rules: rules)
        try merge.file(at: url).text().write(to: url, options: .atomic)
        guard !merge.conflicts.isEmpty else { return }
        let name = (path ?? ours).printable
        Output.say(
            """
            \(name): both branches have changed \(counted(merge.conflicts.count, "stub")). The current branch's is in the file:
            \(merge.conflicts.map { "  \($0)" }.joined(separator: "\n"))
            Record the test again, or take the other file: git checkout --theirs \(name.shellQuoted)
            """
        )
        throw ExitCode.found
    }

    /// Reads a version of the file, and returns `nil` for a file that is not a stub file.
    ///
    /// An empty file has no stubs.
    private static func file(at path: String) -> StubFile? {
        let url = URL(fileURLWithPath: path)
        guard let text = try? Data(contentsOf: url) else { return nil }
        return try? StubFile(version: text, at: url)
    }

    /// Merges the lines, as git does without this command.
    private func mergeText() throws {
        let status = try ChildProcess(["git", "merge-file", ours, base, theirs]).status() ?? 127
        if status != 0 { throw ExitCode(status >= 127 ? 2 : 1) }
    }
}
