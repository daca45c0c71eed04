import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct RenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Renames the stub file of a renamed test.",
        discussion: """
            The name of a stub file is derived from its test: the suites and the function, or the class and the method of \
            an XCTest, joined by _. Give the new name as the test, or as the file.

            Example: the test login() of LoginTests is now called signIn():

              stubborn rename Tests/Stubs/LoginTests_login.json 'LoginTests/signIn()'
            """
    )

    @Argument(help: "The stub file.", completion: .file(extensions: ["json"]))
    var file: String

    @Argument(help: "The test, such as LoginTests/signIn(), or the new name of the file.")
    var name: String

    @Flag(name: .customLong("dry-run"), help: "Show what would be renamed, and rename nothing.")
    var isDryRun = false

    func run() throws {
        let manager = FileManager.default
        guard let found = try FoundFile.find(in: [file]).first, found.isNamed else {
            throw ToolError("\(file) is a directory. Pass one stub file.")
        }
        _ = try found.read()
        guard found.journals.isEmpty else {
            throw ToolError(
                "\(file) has a journal of a recording, \(found.journals[0]). Run its test first, which adds the journal to the file."
            )
        }
        let directory = (file as NSString).deletingLastPathComponent
        let newName = try Self.fileName(for: name)
        let newPath = directory.isEmpty ? newName : "\(directory)/\(newName)"
        guard newPath != file else { throw ToolError("\(file) has this name already.") }
        // On a file system that ignores case, a file whose name differs only in case is the same file.
        if manager.fileExists(atPath: newPath), newPath.lowercased() != file.lowercased() {
            throw ToolError("\(newPath) already exists. Move it first.")
        }
        if !isDryRun {
            try ToolError.naming(file, "renamed") { try manager.moveItem(atPath: file, toPath: newPath) }
        }
        try Output.write("\(file) → \(newPath)")
    }

    /// Returns the name of the file of a test, or of a file that is given directly.
    private static func fileName(for name: String) throws -> String {
        if name.hasSuffix(".json") {
            guard !name.contains("/") else {
                throw ToolError("\(name) is a path. Pass a name: the file stays in its directory.")
            }
            guard !name.hasPrefix("."), name.printableLine == name else {
                throw ToolError(
                    "\(name.printableLine) is hidden, or has invisible characters. Choose a different name."
                )
            }
            return name
        }
        var test = name.filter { $0 != "`" }
        if !test.hasPrefix("-[") {
            if let arguments = test.lastIndex(of: "("), test.hasSuffix(")") { test = String(test[..<arguments]) }
            let separators: Set<Character> = test.contains("/") ? ["/"] : test.contains(" ") ? [] : ["."]
            test = test.split { separators.contains($0) }.joined(separator: "_")
        }
        guard let fileName = StubFile.fileName(forTest: test) else {
            throw ToolError("No stub file can be named \"\(name)\". The name needs a letter or a digit.")
        }
        return fileName + ".json"
    }
}
