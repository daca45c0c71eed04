import Foundation
@_spi(Tools) import StubbornNetwork

/// The stub files of a revision of git.
struct RecordingHistory {
    private let revision: String
    private let git: Git
    private let paths: [String]

    /// Finds the repository of some paths.
    ///
    /// - Throws: `ToolError` where there is no repository, or the revision is unknown.
    init(revision: String, _ paths: [String]) throws {
        guard let git = Git(containing: paths.first ?? ".") else {
            throw ToolError("There is no git repository here to compare with. Leave out --against.")
        }
        try git.run("rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{commit}")
        (self.git, self.revision, self.paths) = (git, revision, paths)
    }

    /// Returns a file as it was; an empty one if it was not there, or was no stub file.
    func file(at found: FoundFile) -> StubFile {
        git.content(of: found.path, in: revision).flatMap { try? StubFile($0, at: found.url) }
            ?? StubFile(at: found.url)
    }

    /// Returns the stub files that are there no more.
    func removedFiles() throws -> [(path: String, file: StubFile)] {
        let list = try git.run("diff", "--name-only", "-z", "--no-renames", "--diff-filter=D", revision, "--")
        let directories = paths.map { Git.realPath($0) }
        return list.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }.compactMap {
            name -> (path: String, file: StubFile)? in
            let path = "\(git.root)/\(name)"
            guard name.hasSuffix(".json"), directories.contains(where: { path == $0 || path.hasPrefix($0 + "/") })
            else {
                return nil
            }
            let file = file(at: FoundFile(path: path, isNamed: false, journals: []))
            return file.stubs.isEmpty ? nil : (git.path(of: name), file)
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
    init(_ path: String, _ file: StubFile, before: StubFile?) throws {
        self.path = path
        guard let before else {
            stubs = file.stubs.map { ReportPage.Comparison(now: $0) }
            return
        }
        let (old, new) = (before.stubs, file.stubs)
        stubs = try StubPair.pairs(of: before, and: file).map { pair in
            ReportPage.Comparison(now: pair.new.map { new[$0] }, before: pair.old.map { old[$0] })
        }
    }
}
