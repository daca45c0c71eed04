import ArgumentParser
import Foundation
import StubbornNetwork
import StubbornNetworkTooling

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes stubs as a HAR file, curl commands, Swift source or HTTP messages.",
        discussion: """
            $ stubborn export Stubs/Shop.json --format har --output shop.har
            $ stubborn export Stubs/Shop.json --format curl --stub 3 | sh
            $ stubborn export Stubs/Shop.json --format swift

            har    for browsers, proxies and other programs that read HTTP Archives
            curl   a command for each request, to ask the real server again
            swift  network.stub(…) lines to paste into a test
            http   a response as a message, which OHHTTPStubs reads; several go into the directory of --output

            Secrets are placeholders, as they are in the stub file. What a format cannot hold is named on standard error.
            """
    )

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case har, curl, swift, http
    }

    @Argument(
        help: ArgumentHelp("Stub files, and directories with stub files; - for standard input.", valueName: "path")
    )
    var paths: [String] = ["."]

    @Option(help: "The format: har, curl, swift or http.")
    var format: Format

    @Option(
        name: .shortAndLong,
        help: "The file to write, or the directory for several messages; without it, standard output."
    )
    var output: String?

    @Option(help: ArgumentHelp("Export the stub with this number only, from 1.", valueName: "number"))
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
        if values > 0 { Output.say("Left out, because no server gave them: \(counted(values, "value")) of tests.") }
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
        case .http: try writeMessages(stubs)
        }
    }

    private func say(_ notes: Notes) {
        for line in notes.lines(of: "stub", "stubs") { Output.say(line) }
    }

    private func write(_ data: Data) throws {
        guard let output else { return try Output.write(data + Data("\n".utf8)) }
        try write(data + Data("\n".utf8), to: URL(fileURLWithPath: output))
    }

    private func write(_ data: Data, to file: URL) throws {
        let directory = file.deletingLastPathComponent()
        try ToolError.naming(file.relativePath, "written") {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try data.write(to: file, options: .atomic)
        }
    }

    private func writeMessages(_ stubs: [Stub]) throws {
        guard stubs.count > 1 else {
            guard let message = try HTTPMessageExport.message(for: stubs[0].response) else {
                throw ToolError("The stub ends with an error, which is no message.")
            }
            guard let output else { return try Output.write(message) }
            return try write(message, to: URL(fileURLWithPath: output))
        }
        guard let output else {
            throw ToolError(
                "\(stubs.count) messages need a directory: name it with --output, or choose one with --stub."
            )
        }
        let directory = URL(fileURLWithPath: output, isDirectory: true)
        for (index, stub) in stubs.enumerated() {
            guard let message = try HTTPMessageExport.message(for: stub.response) else {
                Output.say("Stub \(index + 1) ends with an error, which is no message.")
                continue
            }
            let name = HTTPMessageExport.fileName(for: stub.request, number: index + 1)
            try write(message, to: directory.appendingPathComponent(name))
        }
        Output.say("Messages have no requests: the names of the files say what they answer.")
    }
}
