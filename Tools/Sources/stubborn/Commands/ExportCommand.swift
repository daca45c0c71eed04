import ArgumentParser
import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes stubs as a HAR file, curl commands or Swift source.",
        discussion: """
            $ stubborn export Stubs/Shop.json --format har --output shop.har
            $ stubborn export Stubs/Shop.json --format curl --stub 3 | sh
            $ stubborn export Stubs/Shop.json --format swift

            har    for browsers, proxies and other programs that read HTTP Archives
            curl   a command for each request, to send it to the real server again
            swift  network.stub(…) lines to paste into a test

            Secrets are placeholders, as they are in the stub file. What a format cannot contain is listed on standard error.
            """
    )

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case har, curl, swift
    }

    @Argument(
        help: ArgumentHelp("Stub files, and directories with stub files; - for standard input.", valueName: "path")
    )
    var paths: [String] = ["."]

    @Option(help: "The format: har, curl or swift.")
    var format: Format

    @Option(
        name: .shortAndLong,
        help: "The file to write; standard output by default."
    )
    var output: String?

    @Option(help: ArgumentHelp("Export only the stub with this number, counted from 1.", valueName: "number"))
    var stub: Int?

    func run() throws {
        var stubs: [Stub] = []
        let failureCount = try FoundFile.forEach(in: paths) { _, file in stubs += file.stubs }
        if failureCount > 0 { throw ExitCode.impossible }
        if let stub {
            guard stubs.indices.contains(stub - 1) else {
                throw ToolError("There is no stub \(stub). There are \(stubs.count).")
            }
            stubs = [stubs[stub - 1]]
        }
        let values = stubs.filter { $0.valueName != nil }.count
        stubs.removeAll { $0.valueName != nil }
        if values > 0 { Output.say("Left out, because they are not responses: \(counted(values, "value")) of tests.") }
        guard !stubs.isEmpty else { throw ToolError("There is no stub to export in \(paths.joined(separator: ", ")).") }
        switch format {
        case .har:
            var export = HARExport()
            try write(try export.archive(of: stubs))
            say(export.notes)
        case .curl:
            let placeholders = stubs.filter { "\($0.request.url) \($0.request.headerFields)".contains("REDACTED") }
                .count
            try write(Data(stubs.map { CurlExport.command(for: $0.request) }.joined(separator: "\n\n").utf8))
            guard placeholders > 0 else { return }
            Output.say(
                "Commands with placeholders for secrets: \(placeholders). Put the secrets in before you run them."
            )
        case .swift:
            var export = SwiftExport()
            try write(Data(try export.source(for: stubs).utf8))
            say(export.notes)
        }
    }

    private func say(_ notes: Notes) {
        for line in notes.lines(of: "stub", "stubs") { Output.say(line) }
    }

    private func write(_ data: Data) throws {
        let line = data + Data("\n".utf8)
        guard let output else { return try Output.write(line) }
        let directory = URL(fileURLWithPath: output).deletingLastPathComponent()
        try ToolError.naming(output, "written") {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        try ToolError.write(line, to: output)
    }
}
