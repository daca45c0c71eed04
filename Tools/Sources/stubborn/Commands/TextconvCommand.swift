import ArgumentParser
import Foundation
@preconcurrency import Rainbow
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct TextconvCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "textconv",
        abstract: "Writes a stub file as text, for git diff and git log -p.",
        discussion: """
            After 'stubborn init --git', git calls this for each version of a stub file. Header fields that \
            differ in each response, such as Date, are shown without their values. A file that is not a stub file is \
            written unchanged.

            Example: what was recorded in the last commit, decoded:

              stubborn init --git
              git show
            """
    )

    @Argument(help: "The file.", completion: .file(extensions: ["json"]))
    var file: String

    func run() throws {
        Rainbow.enabled = false
        let url = URL(fileURLWithPath: file)
        guard let stubFile = try? StubFile(contentsOf: url) else {
            return try Output.write(ToolError.contents(of: file))
        }
        // Without numbers: an inserted stub must not change the lines of the stubs after it.
        for stub in stubFile.stubs where !Output.hasNoReader {
            try Output.write(StubText(stub, hiding: .standard).lines.joined(separator: "\n") + "\n")
        }
    }
}
