import Foundation

/// A git repository, as far as the commands use it.
struct Git: Sendable {
    /// The directory of the repository, without symbolic links.
    let root: String

    /// Finds the repository of a file or directory; `nil` if there is none, or if git is not installed.
    init?(containing path: String) {
        self.init(containingDirectory: Self.nearestDirectory(to: path))
    }

    private init?(containingDirectory directory: String) {
        guard let output = try? Self.run(["-C", directory, "rev-parse", "--show-toplevel"]) else { return nil }
        let root = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard !root.isEmpty else { return nil }
        self.root = Self.realPath(root)
    }

    /// Returns the repositories of some paths, each with its paths; the paths outside any repository are under `nil`.
    ///
    /// A shell may pass thousands of files, and each call of git takes a while.
    static func repositories(of paths: [String]) -> [(git: Git?, paths: [String])] {
        var repositories: [(git: Git?, paths: [String])] = []
        var indices: [String: Int] = [:]
        for path in paths {
            let directory = nearestDirectory(to: path)
            if indices[directory] == nil {
                let git = Git(containingDirectory: directory)
                let index = repositories.firstIndex { $0.git?.root == git?.root }
                if index == nil { repositories.append((git, [])) }
                indices[directory] = index ?? repositories.count - 1
            }
            repositories[indices[directory, default: 0]].paths.append(path)
        }
        return repositories
    }

    /// Runs git in the repository.
    ///
    /// - Returns: Its standard output.
    /// - Throws: `ToolError` with git's message if it fails.
    @discardableResult
    func run(_ arguments: String...) throws -> Data { try Self.run(["-C", root] + arguments) }

    /// Returns a Boolean value that indicates whether a name refers to a commit: a branch, a tag or a hash.
    func isCommit(_ revision: String) -> Bool {
        let object = "\(revision)^{commit}"
        return (try? run("rev-parse", "--verify", "--quiet", "--end-of-options", object)) != nil
    }

    /// Returns the path of a file as git writes it: relative to the root of the repository.
    func name(of path: String) -> String {
        let path = Self.pathInRealDirectory(path)
        return path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : path
    }

    /// Returns the path for a name from git: relative to the current directory for a file below it.
    func path(of name: String) -> String {
        let (path, current) = ("\(root)/\(name)", Self.realPath(".") + "/")
        return path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path
    }

    /// Returns the content of a file in a revision, or in the index for `""`; `nil` if the file is not there.
    func content(of path: String, in revision: String = "HEAD") -> Data? {
        try? Self.run(["-C", root, "cat-file", "blob", "\(revision):\(name(of: path))"])
    }

    /// Returns the contents of files in a revision, or in the index for `""`, by their names in git.
    ///
    /// A file that is not there is left out. One process reads all of them.
    func contents(of names: some Collection<String>, in revision: String = "HEAD") throws -> [String: Data] {
        let names = names.filter { !$0.contains("\n") }
        guard !names.isEmpty else { return [:] }
        let objects = names.map { "\(revision):\($0)\n" }.joined()
        var rest = try Self.run(["-C", root, "cat-file", "--batch"], input: Data(objects.utf8))[...]
        var contents: [String: Data] = [:]
        for name in names {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { break }
            // `9a1f… blob 1234` with the content after it, or `HEAD:name missing`.
            let head = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
            rest = rest[(end + 1)...]
            guard head.count == 3, let size = Int(head[2]) else { continue }
            if head[1] == "blob" { contents[name] = Data(rest.prefix(size)) }
            rest = rest.dropFirst(size + 1)
        }
        return contents
    }

    /// Returns the names of files that were renamed since a revision, each with the name that it had there.
    ///
    /// - Parameters:
    ///   - names: The names of the files that have changed.
    ///   - revision: The revision.
    /// - Returns: The old names by the new ones.
    /// - Throws: `ToolError` if there is no such revision.
    func renames(among names: [String], since revision: String = "HEAD") throws -> [String: String] {
        let new = names.filter { FileManager.default.fileExists(atPath: "\(root)/\($0)") }
        guard !new.isEmpty, new.count < names.count else { return [:] }
        // In a copy of the index, files that were not added yet count as well.
        let index = FileManager.default.temporaryDirectory.appendingPathComponent("stubborn-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: index) }
        let original = String(decoding: try run("rev-parse", "--absolute-git-dir"), as: UTF8.self)
        try? FileManager.default.copyItem(
            atPath: original.trimmingCharacters(in: .newlines) + "/index",
            toPath: index.path
        )
        let list = ["--pathspec-from-file=-", "--pathspec-file-nul"]
        try Self.run(
            ["-C", root, "--literal-pathspecs", "add", "--intent-to-add"] + list,
            input: Data(new.joined(separator: "\0").utf8),
            index: index
        )
        let output = try Self.run(
            ["-C", root, "diff", "--name-status", "-z", "--find-renames", "-l0", "--diff-filter=R", revision, "--"],
            index: index
        )
        let parts = output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        let known = Set(names)
        return stride(from: 0, to: parts.count - 2, by: 3).reduce(into: [:]) { renames, start in
            let (old, new) = (parts[start + 1], parts[start + 2])
            if known.contains(old), known.contains(new) { renames[new] = old }
        }
    }

    /// Returns the time of the last change of each file below some paths, by its name in git.
    func commitDates(below paths: [String]) throws -> [String: Date] {
        // A new repository has no commit.
        guard isCommit("HEAD") else { return [:] }
        let names = paths.map { Self.realPath($0) }
        let output = try Self.run(
            ["-C", root, "--literal-pathspecs", "log", "-z", "--format=%x01%at%x00", "--name-only", "--"] + names
        )
        var dates: [String: Date] = [:]
        var date = Date.distantPast
        for part in output.split(separator: 0) {
            // Git writes a line feed before the first name of a commit.
            let text = String(decoding: part.first == UInt8(ascii: "\n") ? part.dropFirst() : part, as: UTF8.self)
            if text.hasPrefix("\u{1}") {
                date = Date(timeIntervalSince1970: Double(text.dropFirst()) ?? 0)
            } else if dates[text] == nil {
                dates[text] = date
            }
        }
        return dates
    }

    /// A file that has changed since the last commit.
    struct Change {
        let name: String
        /// A Boolean value that indicates whether a merge has left several versions of the file.
        let isUnmerged: Bool
    }

    /// Returns the files below some paths that have changed since the last commit, including new ones.
    func changes(below paths: [String]) throws -> [Change] {
        let names = paths.map { Self.realPath($0) }
        let output = try Self.run(
            [
                "-C", root, "--literal-pathspecs", "status", "--porcelain", "-z", "--no-renames",
                "--untracked-files=all", "--",
            ] + names
        )
        return output.split(separator: 0).map { entry in
            // `UU Stubs/A.json`: git-status(1) lists the states of unmerged files.
            let state = String(decoding: entry.prefix(2), as: UTF8.self)
            let isUnmerged = state.contains("U") || state == "AA" || state == "DD"
            return Change(name: String(decoding: entry.dropFirst(3), as: UTF8.self), isUnmerged: isUnmerged)
        }
    }

    /// Returns a full path without symbolic links, even if nothing is there: git knows files that were removed.
    static func realPath(_ path: String) -> String {
        guard let real = realpath(path, nil) else {
            // The current directory itself may have been removed.
            return path == "." ? path : pathInRealDirectory(path)
        }
        defer { free(real) }
        return String(cString: real)
    }

    /// Returns a full path of which only the directory has no symbolic links.
    private static func pathInRealDirectory(_ path: String) -> String {
        (realPath(directory(of: path)) as NSString).appendingPathComponent((path as NSString).lastPathComponent)
    }

    /// Returns the path of a directory unchanged, and for any other path the nearest directory above it that exists.
    private static func nearestDirectory(to path: String) -> String {
        path.isDirectory || path == "." ? path : nearestDirectory(to: directory(of: path))
    }

    private static func directory(of path: String) -> String {
        let directory = (path as NSString).deletingLastPathComponent
        return directory.isEmpty ? "." : directory
    }

    /// Runs git.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - input: The standard input.
    ///   - index: The file that git uses as the index.
    /// - Returns: The standard output.
    /// - Throws: `ToolError` with git's message if it fails.
    @discardableResult
    static func run(_ arguments: [String], input: Data = Data(), index: URL? = nil) throws -> Data {
        let messages = FileManager.default.temporaryDirectory.appendingPathComponent("stubborn-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: messages) }
        try Data().write(to: messages)
        let inputFile = messages.appendingPathExtension("in")
        defer { try? FileManager.default.removeItem(at: inputFile) }
        if !input.isEmpty { try input.write(to: inputFile) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git"] + arguments
        var environment = ["GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"]
        environment["GIT_INDEX_FILE"] = index?.path
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardInput =
            input.isEmpty ? FileHandle.nullDevice : try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: messages)
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            if process.terminationStatus == 127 { throw ToolError("git is not installed. Install it, then try again.") }
            let message = (try? String(contentsOf: messages, encoding: .utf8)) ?? ""
            throw ToolError(
                "git \(arguments.dropFirst(2).joined(separator: " ")) failed: \(message.lines.joined(separator: " "))"
            )
        }
        return data
    }
}
