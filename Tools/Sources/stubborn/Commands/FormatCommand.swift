import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct FormatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Formats stub files as the library writes them, and converts their bodies.",
        discussion: """
            The content of a stub is unchanged: only white space and the order of keys change. Bodies become readable text, or \
            base64, as --bodies or .stubborn.json says. JSON loses its white space when it becomes readable. Bodies of more than \
            a megabyte, and stubs with keys of your own, keep their encoding.

            The files that were rewritten are listed on standard output.

            Example: see what would change, and then change it:

              stubborn format Tests/Stubs --bodies readable --dry-run
              stubborn format Tests/Stubs --bodies readable
            """
    )

    @Option(name: .customLong("bodies"), help: "The encoding of bodies: readable or base64.")
    var bodyEncoding: BodyEncoding?

    @OptionGroup var options: RewriteOptions

    func run() throws {
        try options.rewrite { found, file in
            let rules = try StubDirectoryRules(for: found.url.deletingLastPathComponent())
            if let encoding = bodyEncoding ?? rules.bodyEncoding { file.convert(to: encoding) }
            file.format()
            return true
        }
    }
}

extension BodyEncoding: @retroactive ExpressibleByArgument {}
