import ArgumentParser
import Foundation
@preconcurrency import Rainbow
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the stubs of a stub file, decoded.",
        discussion: """
            Each stub is shown with its request line, header fields and bodies. JSON and XML are indented, and \
            forms are decoded. For an image, the format and the size are shown; for other binary data, the first bytes. \
            Characters that control a terminal are written as \\u{1B}.

            Example: the second stub of a recording, and only its response's body, for a pipe:

              stubborn show Tests/Stubs/LoginTests_testLogin.json --stub 2
              stubborn show Tests/Stubs/LoginTests_testLogin.json --stub 2 --body | jq .user
            """
    )

    @Argument(
        help: "Stub files, or directories with stub files below them; - for standard input.",
        completion: .file(extensions: ["json"])
    )
    var files: [String]

    @Option(name: .customLong("stub"), help: "The number of the only stub to show; the first one is 1.")
    var number: Int?

    @Flag(name: .customLong("body"), help: "Write only the response's body, byte for byte.")
    var isBodyOnly = false

    @Flag(help: "Show the normal form: the part that must be equal in a second recording for the stub to be kept.")
    var normal = false

    @Option(help: "The format: text, or json for programs.")
    var format: OutputFormat = .text

    @OptionGroup var colors: ColorOptions

    func validate() throws {
        if isBodyOnly, format == .json { throw ValidationError("--body and --format json exclude each other.") }
        if normal, isBodyOnly || format == .json { throw ValidationError("--normal excludes --body and --format.") }
        if let number, number < 1 { throw ValidationError("The number of a stub is at least 1.") }
    }

    /// A stub file for programs.
    private struct FileObject: Encodable {
        let file: String
        let stubs: [StubObject]
    }

    func run() throws {
        var isFirst = true
        var objects: [FileObject] = []
        let failureCount = try FoundFile.forEach(in: files) { found, file in
            let stubs = Array(zip(1..., file.stubs)).filter { number == nil || $0.0 == number }
            if let number, stubs.isEmpty {
                let count = counted(file.stubs.count, "stub")
                throw ToolError("There is no stub \(number) in \(found.path.printable), which has \(count).")
            }
            if format == .json {
                let stubs = try stubs.map { try StubObject($1, position: $0, line: file.line(ofStubAt: $0 - 1)) }
                return objects.append(FileObject(file: found.path, stubs: stubs))
            }
            if isBodyOnly {
                for (_, stub) in stubs { try Output.write(stub.response.body ?? Data()) }
                return
            }
            if number == nil {
                let title = "\(found.path.printable): \(counted(stubs.count, "stub"))"
                try Output.write((isFirst ? "" : "\n") + title.bold)
            }
            isFirst = false
            let rules = normal ? try StubDirectoryRules(for: file.url.deletingLastPathComponent()) : nil
            let form = rules?.normalForm(of: file.stubs)
            for (number, stub) in stubs where !Output.hasNoReader {
                let title = self.number == nil ? "\n" + "# stub \(number)".dim + "\n" : ""
                let text =
                    form?.text(ofStubAt: number - 1).printableLines ?? StubText(stub).lines.joined(separator: "\n")
                try Output.write(title + text)
            }
        }
        if format == .json { try Output.write(JSONOutput.text(of: "show", ["files": objects])) }
        if failureCount > 0 { throw ExitCode.impossible }
    }
}
