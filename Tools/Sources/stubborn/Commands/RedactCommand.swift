import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct RedactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redact",
        abstract: "Replaces the secrets in stub files that were recorded without redaction, or with fewer rules.",
        discussion: """
            The rules are the library's, with those in the directory's .stubborn.json. A secret is replaced everywhere in \
            the file, by a placeholder such as REDACTED-token-1. Stubs without a secret keep their bytes. What was replaced \
            is listed on standard error. Keys of your own are not searched, and are kept.

            Git keeps the secrets of earlier commits, so revoke them.

            The exit status is 1 if something still looks like a secret.

            Example: after a name was added to .stubborn.json:

              stubborn redact Tests/Stubs --dry-run
            """
    )

    @OptionGroup var options: RewriteOptions

    func run() throws {
        var leftCount = 0
        try options.rewrite { found, file in
            let rules = try StubDirectoryRules(for: found.url.deletingLastPathComponent())
            let stubs = file.stubs
            let (redacted, report) = rules.redacted(stubs)
            var isChanged = false
            for (index, stub) in redacted.enumerated() {
                let name = { "\(found.path): stub \(index + 1), \(stub.request)".printableLine }
                if stub != stubs[index] {
                    isChanged = true
                    if try file.replaceStub(at: index, with: stub) {
                        Output.say("\(name()): your own keys are kept. Look for secrets in them yourself.")
                    }
                } else if let secret = rules.secret(in: stub) {
                    leftCount += 1
                    Output.say("\(name()): looks like a secret in the \(secret.part) (rule \(secret.rule)).")
                }
            }
            if isChanged { Output.say("\(found.path.printable): \(report.description.printableLines)") }
            return isChanged
        }
        if leftCount > 0 { throw ExitCode.found }
    }
}
