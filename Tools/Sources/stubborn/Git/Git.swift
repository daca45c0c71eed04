import Foundation

/// A git repository, as far as the commands use it.
struct Git: Sendable {
    /// The directory of the repository, without symbolic links.
    let root: String

    /// Finds the repository that a file or directory is in; `nil` where there is none, and where there is no git.
    init?(containing path: String) {
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        let directory = exists && isDirectory.boolValue ? path : Self.directory(of: path)
        guard let output = try? Self.run(["-C", directory, "rev-parse", "--show-toplevel"]) else { return nil }
        let root = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard !root.isEmpty else { return nil }
        self.root = Self.realPath(root)
    }

    /// Runs git in the repository.
    ///
    /// - Returns: Its standard output.
    /// - Throws: `ToolError` with what git says where it fails.
    @discardableResult
    func run(_ arguments: String...) throws -> Data { try Self.run(["-C", root] + arguments) }

    /// Returns the path of a file as git names it: relative to the root of the repository.
    func name(of path: String) -> String {
        let path = "\(Self.realPath(Self.directory(of: path)))/\(URL(fileURLWithPath: path).lastPathComponent)"
        return path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : path
    }

    /// Returns the path of a file that git names: relative to the current directory for one below it.
    func path(of name: String) -> String {
        let (path, current) = ("\(root)/\(name)", Self.realPath(".") + "/")
        return path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path
    }

    /// Returns the content of a file in a revision, or in the index for `""`; `nil` where it is not there.
    func content(of path: String, in revision: String = "HEAD") -> Data? {
        try? Self.run(["-C", root, "cat-file", "blob", "\(revision):\(name(of: path))"])
    }

    /// Returns the time at which the last change was made to each of the files below some paths, by the name that git gives
    /// it.
    func commitDates(below paths: [String]) throws -> [String: Date] {
        let names = paths.map { Self.realPath($0) }
        let output = try Self.run(
            ["-C", root, "-c", "core.quotePath=false", "log", "--format=%x01%at", "--name-only", "--"] + names
        )
        var dates: [String: Date] = [:]
        var date = Date.distantPast
        for line in String(decoding: output, as: UTF8.self).lines where !line.isEmpty {
            if line.hasPrefix("\u{1}") {
                date = Date(timeIntervalSince1970: Double(line.dropFirst()) ?? 0)
            } else if dates[line] == nil {
                dates[line] = date
            }
        }
        return dates
    }

    /// Returns the names of the files below some paths that are not as they were committed, new ones among them.
    func changedNames(below paths: [String]) throws -> [String] {
        let names = paths.map { Self.realPath($0) }
        let output = try Self.run(
            ["-C", root, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--"] + names
        )
        return output.split(separator: 0).map { String(decoding: $0.dropFirst(3), as: UTF8.self) }
    }

    /// Returns a path without symbolic links; the path itself where there is nothing.
    static func realPath(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private static func directory(of path: String) -> String {
        let directory = (path as NSString).deletingLastPathComponent
        return directory.isEmpty ? "." : directory
    }

    static func run(_ arguments: [String]) throws -> Data {
        let messages = FileManager.default.temporaryDirectory.appendingPathComponent("stubborn-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: messages) }
        try Data().write(to: messages)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"]) {
            $1
        }
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: messages)
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            if process.terminationStatus == 127 { throw ToolError("git is not installed. Install it, then try again.") }
            let message = (try? String(contentsOf: messages, encoding: .utf8)) ?? ""
            throw ToolError("git \(arguments.dropFirst(2).joined(separator: " ")) failed: \(message)")
        }
        return data
    }
}
