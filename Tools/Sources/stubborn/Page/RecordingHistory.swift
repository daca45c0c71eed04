import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The stub files of a revision of git.
struct RecordingHistory {
    private let git: Git
    private let paths: [String]
    /// The names of the revision's files, and the contents of those that have changed since.
    private let names: Set<String>
    private let texts: [String: Data]
    /// The names of renamed files in the revision, by their current names.
    private let renames: [String: String]

    /// Finds the repository of some paths.
    ///
    /// - Throws: `ToolError` if there is no repository, or the revision is unknown.
    init(revision: String, _ paths: [String]) throws {
        guard let git = Git(containing: paths.first ?? ".") else {
            throw ToolError("There is no git repository here to compare with. Leave out --against.")
        }
        guard git.isCommit(revision) else {
            throw ToolError("\(revision) is not a commit, branch or tag of \(git.root). Check the name.")
        }
        (self.git, self.paths) = (git, paths)
        let list = { (output: Data) in
            output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
                .filter { $0.lowercased().hasSuffix(".json") }
        }
        names = Set(list(try git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", revision)))
        let changed = list(try git.run("diff", "--name-only", "-z", "--no-renames", revision, "--"))
        texts = try git.contents(of: changed, in: revision)
        let new = list(try git.run("ls-files", "--others", "--exclude-standard", "-z"))
        renames = try git.renames(among: Array(Set(changed + new)), since: revision)
    }

    /// Returns the path of a file in the revision; `nil` for a file that was not renamed.
    func oldPath(of found: FoundFile) -> String? { renames[git.name(of: found.path)].map(git.path) }

    /// Returns a file as it was; an empty file if it did not exist, or was not a stub file.
    func file(at found: FoundFile, now file: StubFile) -> StubFile {
        let now = git.name(of: found.path)
        let name = renames[now] ?? now
        guard names.contains(name) else { return StubFile(at: found.url) }
        return texts[name].map { (try? StubFile($0, at: found.url)) ?? StubFile(at: found.url) } ?? file
    }

    /// Returns the stub files that no longer exist.
    func removedFiles() -> [(path: String, file: StubFile)] {
        let directories = paths.map { Git.realPath($0) }
        let renamed = Set(renames.values)
        return texts.keys.filter { !renamed.contains($0) }.sorted().compactMap {
            name -> (path: String, file: StubFile)? in
            let path = "\(git.root)/\(name)"
            guard !FileManager.default.fileExists(atPath: path), let text = texts[name],
                directories.contains(where: { path == $0 || path.hasPrefix($0 + "/") })
            else {
                return nil
            }
            let file = try? StubFile(text, at: URL(fileURLWithPath: path))
            return file.flatMap { $0.stubs.isEmpty ? nil : (git.path(of: name), $0) }
        }
    }
}

extension ReportPage.File {
    /// Creates the part of a page about a file.
    ///
    /// - Parameters:
    ///   - path: The path to show.
    ///   - file: The file.
    ///   - before: The file as it was; `nil` for a page that compares with nothing.
    ///   - oldPath: Its path at that time; `nil` for a file that was not renamed.
    ///   - problems: The problems of the file and of its stubs.
    /// - Throws: The error of reading a stub's text.
    init(
        _ path: String,
        _ file: StubFile,
        before: StubFile?,
        renamedFrom oldPath: String? = nil,
        problems: [Problem] = []
    ) throws {
        (self.path, self.oldPath) = (path, oldPath)
        let problems = Dictionary(grouping: problems) { $0.stub.map { $0 - 1 } }
        self.problems = problems[.none] ?? []
        guard let before else {
            stubs = file.stubs.enumerated().map {
                ReportPage.Comparison(now: $0.element, problems: problems[$0.offset] ?? [])
            }
            return
        }
        let (old, new) = (before.stubs, file.stubs)
        // With invalid settings, nothing is volatile.
        let rules = try? StubDirectoryRules(for: file.url.deletingLastPathComponent())
        let pairs = StubPair.pairs(of: before, and: file, rules)
        let comparison = rules?.comparison(old, new)
        stubs = try pairs.map { pair in
            let change = try comparison.flatMap { try StubChange.of(pair, before, file, $0) }
            return ReportPage.Comparison(
                now: pair.new.map { new[$0] },
                before: pair.old.map { old[$0] },
                isVolatile: change?.isVolatile ?? false,
                problems: pair.new.flatMap { problems[$0] } ?? []
            )
        }
    }
}
