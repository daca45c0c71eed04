import ArgumentParser
import Foundation
@preconcurrency import Rainbow
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The arguments of the commands that rewrite stub files in place.
struct RewriteOptions: ParsableArguments {
    @Argument(help: "Stub files, or directories with stub files below them.", completion: .file())
    var paths: [String] = ["."]

    @Flag(
        name: .customLong("dry-run"),
        help: "Show the difference, and write nothing. The exit status is 1 if there is one."
    )
    var isDryRun = false

    @OptionGroup var colors: ColorOptions

    /// Rewrites each stub file, if the new text differs, and lists it on standard output.
    ///
    /// - Parameter change: Changes a stub file. It returns `false` if the file is unchanged.
    /// - Throws: `ExitCode` 1 for a dry run that found a difference, 2 if a file could not be read or written.
    func rewrite(_ change: (FoundFile, inout StubFile) throws -> Bool) throws {
        var isDifferent = false
        let failureCount = try FoundFile.forEach(in: paths) { found, file in
            guard !found.isPipe else { throw ToolError("\(found.path) is not a file, so it cannot be rewritten.") }
            var new = file
            guard try change(found, &new) else { return }
            let (oldText, newText) = (try Data(contentsOf: found.url), new.text())
            guard oldText != newText else { return }
            isDifferent = true
            if isDryRun {
                try Self.write(difference: oldText, newText, found.path)
            } else {
                try new.write()
                try Output.write(found.path)
            }
        }
        if failureCount > 0 { throw ExitCode.impossible }
        if isDryRun, isDifferent { throw ExitCode.found }
    }

    /// Writes the lines that differ.
    static func write(difference old: Data, _ new: Data, _ path: String) throws {
        let text = { (data: Data) in String(decoding: data, as: UTF8.self).lines.map(\.printable) }
        let difference = LineDiff(from: text(old), to: text(new))
        let title = ["--- \(path.printable)".bold, "+++ \(path.printable)".bold]
        let lines = difference.lines()
        try Output.write((title + (lines.isEmpty ? ["(only line breaks differ)"] : lines)).joined(separator: "\n"))
    }
}
