import Foundation

/// A repository of git, asked with the `git` command.
struct Repository {
    /// The root of the working tree.
    let root: URL

    /// Finds the repository that a directory is in.
    ///
    /// - Throws: `ToolError` where there is no repository, or no git.
    init(containing directory: URL) throws {
        let output = try Self.run(["rev-parse", "--show-toplevel"], in: directory)
        root = URL(fileURLWithPath: String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines))
    }

    /// Returns what git writes to standard output.
    ///
    /// - Throws: `ToolError` with what git writes to standard error, if it fails.
    func run(_ arguments: String...) throws -> Data { try Self.run(arguments, in: root) }

    /// Returns the path of a file in the repository; `nil` for a file outside.
    func path(of file: URL) -> String? {
        let path = file.resolvingSymlinksInPath().standardizedFileURL.path
        let prefix = root.resolvingSymlinksInPath().path + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
    }

    /// Returns a file as it was at a revision; `nil` if it was not there.
    func content(of path: String, at revision: String) -> Data? { try? run("show", "\(revision):\(path)") }

    private static func run(_ arguments: [String], in directory: URL) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git"] + arguments
        process.currentDirectoryURL = directory
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let queue = DispatchQueue(label: "stubborn.git")
        nonisolated(unsafe) var message = Data()
        queue.async { message = errors.fileHandleForReading.readDataToEndOfFile() }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        queue.sync {}
        guard process.terminationStatus == 0 else {
            let text = String(decoding: message, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            throw ToolError("git \(arguments[0]) failed in \(directory.path): \(text)")
        }
        return data
    }
}

/// The dates at which files were last committed.
struct CommitDates {
    private var dates: [String: Date] = [:]
    private var repository: Repository?

    /// Knows no date.
    init() {}

    /// Asks git once, for the whole history.
    ///
    /// - Throws: `ToolError` where there is no repository.
    init(of files: [URL]) throws {
        guard let first = files.first else { return }
        let repository = try Repository(containing: first.deletingLastPathComponent())
        // A date for each commit, from the newest on, and after it the files that it changed.
        let log = try repository.run("log", "--format=%x00%at", "--name-only", "--no-renames", "-z", "--diff-filter=AM")
        var date: Date?
        for part in log.split(separator: 0) {
            let text = String(decoding: part, as: UTF8.self).trimmingCharacters(in: .newlines)
            if let seconds = TimeInterval(text), !text.contains(".") {
                date = Date(timeIntervalSince1970: seconds)
            } else if dates[text] == nil {
                dates[text] = date
            }
        }
        self.repository = repository
    }

    /// The date of the last commit that changed a file; `nil` for a file that was never committed.
    subscript(file: URL) -> Date? { repository?.path(of: file).flatMap { dates[$0] } }
}
