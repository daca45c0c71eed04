import ArgumentParser
import Foundation
@preconcurrency import Rainbow
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows the differences between two stub files, by stub.",
        discussion: """
            For each stub, it shows the status, header fields and JSON key paths that differ. Other text is compared line by \
            line. Values that change each time, by the settings in .stubborn.json, are folded into one line. In two \
            directories, files with the same name are compared.

            The exit status is 1 if there is a difference, and 0 otherwise.

            Example: this branch's recording and the one on main:

              stubborn diff main:Tests/Stubs/LoginTests_testLogin.json Tests/Stubs/LoginTests_testLogin.json
            """
    )

    @Argument(help: "A stub file, a directory, or REVISION:PATH of git.", completion: .file())
    var old: String

    @Argument(help: "A stub file, a directory, or REVISION:PATH of git.", completion: .file())
    var new: String

    @Option(help: "The format: text, or json for programs.")
    var format: OutputFormat = .text

    @OptionGroup var colors: ColorOptions

    func run() throws {
        if format == .json { Rainbow.enabled = false }
        let differences: [Difference]
        switch (old.isDirectory, new.isDirectory) {
        case (true, true): differences = try directoryDifferences()
        case (false, false): differences = [try Self.difference(Self.file(old), Self.file(new), in: new, title: nil)]
        default: throw ToolError("\(old) and \(new) cannot be compared: one of them is a directory, the other is not.")
        }
        let different = differences.filter { !$0.changes.isEmpty }
        if format == .json {
            let files = different.map { ChangedFileObject($0.file, $0.changes) }
            try Output.write(JSONOutput.text(of: "diff", ["files": files]))
        } else {
            for file in different {
                try Output.write(((file.title.map { [$0.bold] } ?? []) + file.changes.lines).joined(separator: "\n"))
            }
        }
        if !different.isEmpty { throw ExitCode.found }
    }

    /// The changes of a file, and their title in a list of several files.
    private typealias Difference = (file: String, title: String?, changes: [StubChange])

    /// Compares the files with the same names, and lists the others.
    private func directoryDifferences() throws -> [Difference] {
        let (oldFiles, newFiles) = (try Self.files(below: old), try Self.files(below: new))
        return try Set(oldFiles.keys).union(newFiles.keys).sorted().compactMap { name in
            let empty = StubFile(at: URL(fileURLWithPath: name))
            let (oldFile, newFile) = (try oldFiles[name]?.read(), try newFiles[name]?.read())
            guard oldFile != nil || newFile != nil else { return nil }
            let isNew = oldFile == nil ? ", new" : newFile == nil ? ", removed" : ""
            return try Self.difference(oldFile ?? empty, newFile ?? empty, in: name, title: name.printable + isNew)
        }
    }

    private static func difference(_ old: StubFile, _ new: StubFile, in file: String, title: String?) throws
        -> Difference
    {
        let rules = try StubDirectoryRules(for: new.url.deletingLastPathComponent())
        return (file, title, try StubChange.all(from: old, to: new, rules))
    }

    private static func files(below directory: String) throws -> [String: FoundFile] {
        let files = try FoundFile.find(in: [directory])
        let count = directory.directoryPrefix.count
        return Dictionary(files.map { (String($0.path.dropFirst(count)), $0) }) { first, _ in first }
    }

    /// Reads a stub file, or a version of it from git.
    private static func file(_ path: String) throws -> StubFile {
        if path == "-" || FileManager.default.fileExists(atPath: path),
            let file = try FoundFile.find(in: [path]).first?.read()
        {
            return file
        }
        guard let colon = path.firstIndex(of: ":") else {
            throw ToolError("There is no file or directory at \(path). Check the path.")
        }
        let url = URL(fileURLWithPath: String(path[path.index(after: colon)...]))
        return try StubFile(Git.run(["-C", ".", "cat-file", "blob", path]), at: url)
    }
}
