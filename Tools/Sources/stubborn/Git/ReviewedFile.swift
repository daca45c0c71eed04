import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// A stub file that differs from git's `HEAD`, and the stubs that differ.
///
/// An accepted stub is staged: it is in git's index, and will be in the next commit. A rejected stub is restored from
/// `HEAD`. Nothing is kept elsewhere, so a review can be interrupted at any time.
struct ReviewedFile {
    let path: String
    let git: Git

    /// The path of the file in `HEAD`; `nil` for a file that was not renamed.
    let oldPath: String?

    /// The changes that are neither accepted nor rejected.
    let pending: [StubChange]

    /// The file as it is in `HEAD` and in the working directory; without stubs if it is not there.
    let head: StubFile
    let working: StubFile

    private let rules: StubDirectoryRules
    private let isDeleted: Bool
    private let headText: Data?
    private let pairs: [StubPair]
    private let changes: [StubPair: StubChange]
    private let acceptedPairs: Set<StubPair>

    /// The contents of a file in git, by its names.
    struct Versions {
        var head: [String: Data]
        var index: [String: Data]

        init(of names: some Collection<String>, _ git: Git) throws {
            head = try git.contents(of: names)
            index = try git.contents(of: names, in: "")
        }
    }

    /// Compares a file with `HEAD` and with git's index.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - oldPath: Its path in `HEAD`; `nil` for a file that was not renamed.
    ///   - git: The repository.
    ///   - rules: The settings of the file's directory.
    ///   - versions: Its versions in git.
    /// - Throws: `StubbornNetworkError` for a version that is damaged.
    init(path: String, oldPath: String?, git: Git, rules: StubDirectoryRules, versions: Versions) throws {
        (self.path, self.oldPath, self.git, self.rules) = (path, oldPath, git, rules)
        let url = URL(fileURLWithPath: path)
        let (name, oldName) = (git.name(of: path), git.name(of: oldPath ?? path))
        headText = versions.head[oldName]
        head = try StubFile(version: headText, at: url)
        isDeleted = !FileManager.default.fileExists(atPath: path)
        working = isDeleted ? StubFile(at: url) : try StubFile(contentsOf: url)
        let indexText = versions.index[name] ?? versions.index[oldName]
        let index = try StubFile(version: indexText, at: url)

        let stubPairs = StubPair.pairs(of: head, and: working, rules)
        let comparison = rules.comparison(head.stubs, working.stubs)
        pairs = (oldPath == nil ? [] : [.rename]) + stubPairs
        var changes: [StubPair: StubChange] = [:]
        for pair in stubPairs { changes[pair] = try StubChange.of(pair, head, working, comparison) }
        if let oldPath { changes[.rename] = StubChange(renamedFrom: oldPath) }
        self.changes = changes
        var staged: [Data: Int] = [:]
        for number in index.stubs.indices { staged[index.text(ofStubAt: number), default: 0] += 1 }
        for pair in stubPairs where changes[pair] == nil {
            if let number = pair.new { staged[working.text(ofStubAt: number), default: 0] -= 1 }
        }
        var accepted: Set<StubPair> = []
        if oldPath != nil, versions.index[name] != nil, versions.index[oldName] == nil { accepted.insert(.rename) }
        for pair in stubPairs where changes[pair] != nil {
            let text = pair.new.map(working.text(ofStubAt:)) ?? head.text(ofStubAt: pair.old ?? 0)
            let isStaged = staged[text, default: 0] > 0
            if isStaged { staged[text, default: 0] -= 1 }
            if isStaged == (pair.new != nil) { accepted.insert(pair) }
        }
        acceptedPairs = accepted
        pending = pairs.compactMap { accepted.contains($0) ? nil : changes[$0] }
    }

    /// Returns the state of the file after a decision.
    private func reread(at path: String, oldPath: String?) throws -> ReviewedFile {
        let names = Set([path, oldPath ?? path].map(git.name))
        return try ReviewedFile(
            path: path,
            oldPath: oldPath,
            git: git,
            rules: rules,
            versions: Versions(of: names, git)
        )
    }

    /// Stages some changes, in addition to those that are staged already.
    ///
    /// For a renamed file, this also stages the rename.
    ///
    /// - Returns: The new state of the file.
    func accept(_ accepted: [StubChange]) throws -> ReviewedFile {
        let pairs = acceptedPairs.union(accepted.map(\.pair))
        if isDeleted, pairs.count == changes.count {
            try git.run("update-index", "--force-remove", "--", git.name(of: path))
        } else if pairs.count == changes.count {
            try git.run("--literal-pathspecs", "add", "--", git.name(of: path))
        } else {
            try stage(file { pairs.contains($0) }, at: path)
        }
        // A review that is interrupted before this line has the stubs in the index, under both names.
        if let oldPath { try git.run("update-index", "--force-remove", "--", git.name(of: oldPath)) }
        return try reread(at: path, oldPath: oldPath)
    }

    /// Stores the current file as a git object, which is kept for at least two weeks, and returns its id.
    func keep() throws -> String {
        let id = try git.run("hash-object", "-w", "--no-filters", "--", git.name(of: path))
        return String(decoding: id, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// The state that a decision can change: the file, under both of its names, and its staged content.
    struct State {
        fileprivate let files: [(path: String, text: Data?)]
        fileprivate let entries: [(name: String, entry: String?)]
    }

    /// Returns the state before a decision, for `restored(to:)`.
    func state() throws -> State {
        let paths = [path, oldPath].compactMap(\.self)
        return State(
            files: paths.map { ($0, try? Data(contentsOf: URL(fileURLWithPath: $0))) },
            entries: try paths.map(git.name).map { name in
                let entry = try git.run("--literal-pathspecs", "ls-files", "--stage", "--", name)
                // `git add --intent-to-add` has put only the name into the index, without content.
                if git.content(of: git.path(of: name), in: "")?.isEmpty == true { return (name, "") }
                // `100644 9a1f… 0`, a tab and the name.
                let words = String(decoding: entry, as: UTF8.self).split { $0 == " " || $0 == "\t" }
                return (name, words.count > 2 ? "\(words[0]),\(words[1])" : nil)
            }
        )
    }

    /// Undoes a decision.
    ///
    /// - Parameter state: The state before it.
    /// - Returns: The new state of the file.
    /// - Throws: The error of writing the file, or git's message.
    func restored(to state: State) throws -> ReviewedFile {
        for (path, text) in state.files {
            let url = URL(fileURLWithPath: path)
            if let text {
                try text.write(to: url, options: .atomic)
            } else {
                try? FileManager.default.removeItem(at: url)
            }
        }
        for (name, entry) in state.entries {
            if entry == "" {
                try git.run("update-index", "--force-remove", "--", name)
                try git.run("--literal-pathspecs", "add", "--intent-to-add", "--", name)
            } else if let entry {
                try git.run("update-index", "--add", "--cacheinfo", "\(entry),\(name)")
            } else {
                try git.run("update-index", "--force-remove", "--", name)
            }
        }
        return try reread(at: path, oldPath: oldPath)
    }

    /// Restores the parts of a change from `HEAD`.
    ///
    /// - Returns: The new state of the file.
    func reject(_ change: StubChange) throws -> ReviewedFile {
        if change.pair == .rename, let oldPath {
            try FileManager.default.moveItem(atPath: path, toPath: oldPath)
            try reset(path)
            try reset(oldPath)
            if acceptedPairs.contains(where: { $0 != .rename }) {
                try stage(file { acceptedPairs.contains($0) }, at: oldPath)
            }
            return try reread(at: oldPath, oldPath: nil)
        }
        let isLast = changes.count == 1
        if isLast, headText == nil {
            try FileManager.default.removeItem(atPath: path)
        } else {
            var file = file { $0 != change.pair }
            // A deleted file that comes back has no older state.
            if isDeleted { file = StubFile.copy(of: file) }
            try file.write()
            // This restores the layout between the stubs as well.
            if isLast, let headText, try Data(contentsOf: working.url) != headText {
                try headText.write(to: working.url, options: .atomic)
            }
        }
        // The index may have an older recording of the stub.
        if isLast || acceptedPairs.isEmpty && headText != nil {
            try reset(path)
        } else if !acceptedPairs.isEmpty {
            try stage(file { acceptedPairs.contains($0) }, at: path)
        }
        return try reread(at: path, oldPath: oldPath)
    }

    /// Unstages a file.
    private func reset(_ path: String) throws {
        try git.run("--literal-pathspecs", "reset", "--quiet", "--", git.name(of: path))
    }

    /// Returns the file with some of the changes; everything else is as in `HEAD`.
    private func file(with isIncluded: (StubPair) -> Bool) -> StubFile {
        var result = working
        result.removeStubs(at: Set(working.stubs.indices))
        var count = 0
        for pair in pairs {
            let isNew = changes[pair] == nil || isIncluded(pair)
            guard let index = isNew ? pair.new : pair.old else { continue }
            result.insertStub(at: count, stubAt: index, of: isNew ? working : head)
            count += 1
        }
        return result
    }

    private func stage(_ file: StubFile, at path: String) throws {
        let name = git.name(of: path)
        let text = FileManager.default.temporaryDirectory.appendingPathComponent("stubborn-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: text) }
        try file.text().write(to: text)
        let hash = try git.run("hash-object", "-w", "--path=\(name)", "--", text.path)
        let entry = try String(
            decoding: git.run("--literal-pathspecs", "ls-files", "--stage", "--", name),
            as: UTF8.self
        )
        let mode = entry.isEmpty ? "100644" : String(entry.prefix { $0 != " " })
        let id = String(decoding: hash, as: UTF8.self).trimmingCharacters(in: .newlines)
        try git.run("update-index", "--add", "--cacheinfo", "\(mode),\(id),\(name)")
    }
}

extension ReviewedFile {
    /// Returns the files below some paths that differ from `HEAD`, and the number of files that cannot be read, which are listed on
    /// standard error.
    ///
    /// - Throws: `ToolError` for a path at which there is nothing, or that is in no repository.
    static func all(in paths: [String]) throws -> (files: [ReviewedFile], failureCount: Int) {
        var files: [ReviewedFile] = []
        var failureCount = 0
        for (git, paths) in Git.repositories(of: paths) {
            guard let git else {
                throw ToolError(
                    "\(paths[0]) is not in a git repository, or git is not installed, so there is no HEAD to compare with."
                )
            }
            for path in paths where !FileManager.default.fileExists(atPath: path) {
                // A removed file has to be reviewed, too.
                guard try git.changes(below: [path]).isEmpty else { continue }
                throw ToolError("There is no file or directory at \(path). Check the path.")
            }
            let changes = try git.changes(below: paths).filter { $0.name.lowercased().hasSuffix(".json") }
            for name in changes.filter(\.isUnmerged).map(\.name).sorted() {
                failureCount += 1
                let path = git.path(of: name)
                Output.say(
                    """
                    error: \(path.printable): a merge has left two versions of this file. Look at the other branch's with \
                    'git diff --theirs \(path.shellQuoted)', correct the file, or take one by 'git checkout --ours' or \
                    '--theirs', and then 'git add' it.
                    """
                )
            }
            let names = changes.filter { !$0.isUnmerged }.map(\.name).sorted()
            // Without a HEAD, no file counts as renamed.
            let renames = (try? git.renames(among: names)) ?? [:]
            let oldNames = Set(renames.values)
            let versions = try Versions(of: names, git)
            for name in names where !oldNames.contains(name) {
                let path = git.path(of: name)
                do {
                    if let file = try file(at: path, renamedFrom: renames[name].map(git.path), git, versions) {
                        files.append(file)
                    }
                } catch {
                    failureCount += 1
                    Output.say("error: \((error as? StubbornNetworkError)?.description ?? "\(path): \(error)")")
                }
            }
        }
        return (files, failureCount)
    }

    /// Returns a file that differs; `nil` for one that is not a stub file.
    private static func file(
        at path: String,
        renamedFrom oldPath: String?,
        _ git: Git,
        _ versions: Versions
    ) throws -> ReviewedFile? {
        let url = URL(fileURLWithPath: path)
        if FileManager.default.fileExists(atPath: path) {
            guard try FoundFile(path: path, isNamed: false).read() != nil else { return nil }
        } else if (try? StubFile(versions.head[git.name(of: path)] ?? Data(), at: url)) == nil {
            return nil
        }
        let rules = try StubDirectoryRules(for: url.deletingLastPathComponent())
        return try ReviewedFile(path: path, oldPath: oldPath, git: git, rules: rules, versions: versions)
    }
}

extension StubFile {
    /// Reads a version of a file from git; an absent or empty version has no stubs.
    init(version text: Data?, at url: URL) throws {
        if let text, !text.isEmpty { try self.init(text, at: url) } else { self.init(at: url) }
    }

    /// Returns a file with the same stubs that is written as a new one.
    fileprivate static func copy(of file: StubFile) -> StubFile {
        var copy = StubFile(at: file.url)
        for index in file.stubs.indices { copy.insertStub(at: index, stubAt: index, of: file) }
        return copy
    }
}
