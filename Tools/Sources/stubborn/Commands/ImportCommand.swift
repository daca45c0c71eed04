import ArgumentParser
import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Makes a stub file from HAR files or HTTP messages.",
        discussion: """
            Browsers and proxies export HAR files: Chrome, Firefox, Safari, Charles, mitmproxy and others.

              $ stubborn import shop.har --to Stubs/Shop.json --host api.example.com
              42 stubs in Stubs/Shop.json.

            An HTTP message, as written by 'curl --include' and read by OHHTTPStubs, is a response. Pass its URL with --url.

              $ stubborn import user.response --url https://api.example.com/users/42 --to Stubs/User.json

            The format is inferred from the extension (.har; .http, .response), or from --format. Secrets are \
            replaced before anything is written, by the rules of the directory's .stubborn.json. Missing parts of a file \
            are listed on standard error. The exit status is 1 if a stub was left out because it still contains a secret.
            """
    )

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case har, http
    }

    @Argument(help: ArgumentHelp("The files to import; - for standard input, with --format.", valueName: "file"))
    var files: [String]

    @Option(help: "The stub file to write.")
    var to: String

    @Option(help: "The format of the files: har or http (a response as a message).")
    var format: Format?

    @Flag(help: "Add to the stub file, after its stubs.")
    var add = false

    @Flag(help: "Replace the stub file if it exists.")
    var replace = false

    @Option(help: ArgumentHelp("Import requests to this host only (har); may be repeated.", valueName: "host"))
    var host: [String] = []

    @Flag(help: "Keep the times of responses (har), for 'stubborn serve --speed recorded'.")
    var timing = false

    @Option(help: "The URL that a message answers (http).")
    var url: String?

    @Option(help: "The method that a message answers (http).")
    var method = "GET"

    @Option(help: "How bodies are stored: base64 or readable. Without it, the directory's .stubborn.json decides.")
    var bodyEncoding: BodyEncoding?

    @Option(
        name: .customLong("output-format"),
        help: "The format of the messages: text, or json for programs, on standard output."
    )
    var outputFormat: OutputFormat = .text

    /// The result of an import, for programs.
    private struct Imported: Encodable {
        let file: String
        let stubs: Int
        let leftOut: [String]
        let redacted: [RedactionReport.Replacement]
        let unredacted: [RedactionReport.Unredacted]
    }

    func validate() throws {
        if add && replace { throw ValidationError("--add and --replace exclude each other.") }
    }

    func run() throws {
        let file = URL(fileURLWithPath: to)
        let exists = FileManager.default.fileExists(atPath: file.path)
        if exists && !add && !replace && !to.isDirectory {
            throw ToolError("\(to) exists. Use --add to add to it, or --replace to replace it.")
        }
        var stubs: [Stub] = []
        var faults: [String] = []
        for name in files {
            for stub in try read(name) {
                guard let fault = stub.syntaxFault else {
                    stubs.append(stub)
                    continue
                }
                Output.say("error: \(name): a request was left out. \(fault)")
                faults.append(fault)
            }
        }
        guard !stubs.isEmpty else { throw ToolError("There is nothing to import in \(files.joined(separator: ", ")).") }
        let directory = file.deletingLastPathComponent()
        try ToolError.naming(to, "written") {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        let rules = try StubDirectoryRules(for: directory)
        var result = try self.result(of: stubs, in: file, rules)
        while try !result.file.writeIfUnchanged() {
            guard add else { throw ToolError("\(to) was written by another process. Use --add to add to it.") }
            // Another process was faster: its file is kept.
            result = try self.result(of: stubs, in: file, rules)
        }
        if outputFormat == .json {
            let imported = Imported(
                file: to,
                stubs: result.count,
                leftOut: faults + result.messages,
                redacted: result.report.replacements,
                unredacted: result.report.unredacted
            )
            try Output.write(JSONOutput.text(of: "import", imported))
        }
        for message in result.messages { Output.say(message) }
        Output.say("\(counted(result.count, "stub")) in \(to).")
        if !result.report.description.isEmpty { Output.say(result.report.description) }
        if !faults.isEmpty { throw ExitCode.impossible }
        if result.count < stubs.count { throw ExitCode.found }
    }

    /// The stub file with the imported stubs, the number of imported stubs, the entries that were left out, and the
    /// redacted values.
    private typealias Result = (file: StubFile, count: Int, messages: [String], report: RedactionReport)

    /// Returns the current stub file with the new stubs after its own.
    private func result(of stubs: [Stub], in file: URL, _ rules: StubDirectoryRules) throws -> Result {
        let exists = FileManager.default.fileExists(atPath: file.path)
        var target = exists ? try StubFile(contentsOf: file) : StubFile(at: file)
        if replace { target.removeStubs(at: Set(target.stubs.indices)) }
        // After the existing stubs of the file, so that the numbers of placeholders continue.
        let (redacted, report) = rules.redacted(target.stubs + stubs)
        var messages: [String] = []
        let incoming = redacted.suffix(stubs.count).filter { stub in
            guard let secret = rules.secret(in: stub) else { return true }
            messages.append(
                "Left out: the \(secret.part) of \(stub.request.method) \(stub.request.url.path) still looks like a secret "
                    + "(rule \(secret.rule)). List it under \"redaction\" in .stubborn.json, or exclude the rule there."
            )
            return false
        }
        guard !incoming.isEmpty else {
            messages.append("Nothing was written, because each stub still contains a value that looks like a secret.")
            throw ToolError(messages.joined(separator: "\n"))
        }
        let new = StubFile(incoming, at: file, bodyEncoding: bodyEncoding ?? rules.bodyEncoding ?? .base64)
        let count = target.stubs.count
        for index in new.stubs.indices { target.insertStub(at: count + index, stubAt: index, of: new) }
        return (target, incoming.count, messages, report)
    }

    private func read(_ name: String) throws -> [Stub] {
        let text = try ToolError.contents(of: name)
        switch try format ?? Self.format(of: name) {
        case .har:
            let directory = URL(fileURLWithPath: name).deletingLastPathComponent()
            var reader = HARImport(keepsTiming: timing, hosts: host, directory: directory)
            let stubs = try reader.stubs(in: text, of: name)
            for line in reader.notes.lines(of: "entry", "entries") { Output.say("\(name): \(line)") }
            return stubs
        case .http:
            guard let address = url, let url = URL(asWritten: address), Origin(url) != nil else {
                throw ToolError(
                    "\(name) is a response. Give the URL of its request: --url https://api.example.com/users/42"
                )
            }
            let response = try HTTPMessageImport.response(in: text, of: name)
            return [Stub(request: StubRequest(method: method, url: url), response: response)]
        }
    }

    private static func format(of name: String) throws -> Format {
        switch name.split(separator: ".").last?.lowercased() {
        case "har": return .har
        case "http", "response": return .http
        default: throw ToolError("The format of \(name) is not known. Use --format har or --format http.")
        }
    }
}
