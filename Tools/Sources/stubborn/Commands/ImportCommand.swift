import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Makes a stub file from HAR files, curl commands or HTTP messages.",
        discussion: """
            HAR files are what browsers and proxies export: Chrome, Firefox, Safari, Charles, mitmproxy and others.

              $ stubborn import shop.har --to Stubs/Shop.json --host api.example.com
              42 stubs in Stubs/Shop.json.

            A curl command says what is asked, not what is answered: its stub has an empty 200, or what --status, --header \
            and --body say. An HTTP message, as 'curl --include' writes it and OHHTTPStubs reads it, is an answer: --url \
            says to what.

              $ stubborn import login.sh --to Stubs/Login.json --status 401
              $ stubborn import user.response --url https://api.example.com/users/42 --to Stubs/User.json

            The format follows from the extension (.har; .sh, .curl, .txt; .http, .response), or from --format. Secrets are \
            replaced before anything is written, by the rules of the directory's .stubborn.json. What a file does not say \
            is named on standard error. The exit status is 1 if a stub was left out because it still has a secret.
            """
    )

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case har, curl, http
    }

    @Argument(help: ArgumentHelp("The files to import; - for standard input, with --format.", valueName: "file"))
    var files: [String]

    @Option(help: "The stub file to write.")
    var to: String

    @Option(help: "The format of the files: har, curl or http (a response as a message).")
    var format: Format?

    @Flag(help: "Add to the stub file, behind the stubs that it has.")
    var add = false

    @Flag(help: "Write over the stub file if it exists.")
    var replace = false

    @Option(help: ArgumentHelp("Import requests to this host only (har); may be repeated.", valueName: "host"))
    var host: [String] = []

    @Flag(help: "Keep the times of responses (har), for 'stubborn serve --speed recorded'.")
    var timing = false

    @Option(help: "The URL that a message answers (http).")
    var url: String?

    @Option(help: "The method that a message answers (http).")
    var method = "GET"

    @Option(help: "The status of the responses (curl).")
    var status = 200

    @Option(
        help: ArgumentHelp(
            "A header field of the responses (curl): 'Name: value'; may be repeated.",
            valueName: "field"
        )
    )
    var header: [String] = []

    @Option(help: "The body of the responses (curl): a text, or @ and the path of a file.")
    var body: String?

    @Option(help: "How bodies are stored: base64 or readable. Without it, the directory's .stubborn.json decides.")
    var bodyEncoding: BodyEncoding?

    @Option(
        name: .customLong("output-format"),
        help: "The format of what is said: text, or json for programs, on standard output."
    )
    var outputFormat: OutputFormat = .text

    /// What was imported, for programs.
    private struct Imported: Encodable {
        let file: String
        let stubs: Int
        let leftOut: [String]
        let redacted: [RedactionReport.Replacement]
        let unredacted: [RedactionReport.Unredacted]
    }

    func validate() throws {
        if add && replace { throw ValidationError("--add and --replace exclude each other.") }
        guard (100...999).contains(status) else { throw ValidationError("--status takes a number from 100 to 999.") }
    }

    func run() throws {
        let file = URL(fileURLWithPath: to)
        let exists = FileManager.default.fileExists(atPath: file.path)
        if exists && !add && !replace {
            throw ToolError("\(to) exists. Use --add to add to it, or --replace to write over it.")
        }
        let input = try files.map { try checked(read($0), of: $0) }
        let stubs = input.flatMap(\.stubs)
        guard !stubs.isEmpty else { throw ToolError("There is nothing to import in \(files.joined(separator: ", ")).") }
        let directory = file.deletingLastPathComponent()
        try ToolError.naming(to, "written") {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        let rules = try StubDirectoryRules(for: directory)
        var result = try self.result(of: stubs, in: file, rules)
        while try !result.file.writeIfUnchanged() {
            guard add else { throw ToolError("\(to) was written by another process. Use --add to add to it.") }
            // Another process was faster: what it has written stays.
            result = try self.result(of: stubs, in: file, rules)
        }
        if outputFormat == .json {
            let imported = Imported(
                file: to,
                stubs: result.count,
                leftOut: input.flatMap(\.failures) + result.messages,
                redacted: result.report.replacements,
                unredacted: result.report.unredacted
            )
            try Output.write(JSONOutput.text(of: "import", imported))
        }
        for message in result.messages { Output.say(message) }
        Output.say("\(counted(result.count, "stub")) in \(to).")
        if !result.report.description.isEmpty { Output.say(result.report.description) }
        if input.contains(where: { !$0.failures.isEmpty }) { throw ExitCode.impossible }
        if result.count < stubs.count { throw ExitCode.found }
    }

    /// The stub file with the imported stubs, the number of those, what was left out, and what was redacted.
    private typealias Result = (file: StubFile, count: Int, messages: [String], report: RedactionReport)

    /// Returns the stub file as it is now with the stubs behind its own.
    private func result(of stubs: [Stub], in file: URL, _ rules: StubDirectoryRules) throws -> Result {
        let exists = FileManager.default.fileExists(atPath: file.path)
        var target = exists ? try StubFile(reading: file) : StubFile(at: file)
        if replace { target.removeStubs(at: Set(target.stubs.indices)) }
        // Behind the stubs that the file has, so that the numbers of placeholders continue.
        let (redacted, report) = rules.redacted(target.stubs + stubs)
        var messages: [String] = []
        let incoming = redacted.suffix(stubs.count).filter { stub in
            guard let secret = rules.secret(in: stub) else { return true }
            messages.append(
                "Left out: the \(secret.part) of \(stub.request.method) \(stub.request.url.path) still looks like a secret "
                    + "(rule \(secret.rule)). Name it under \"redaction\" in .stubborn.json, or exclude the rule there."
            )
            return false
        }
        guard !incoming.isEmpty else {
            messages.append("Nothing was written: each stub has something that still looks like a secret.")
            throw ToolError(messages.joined(separator: "\n"))
        }
        let new = StubFile(incoming, at: file, bodyEncoding: bodyEncoding ?? rules.bodyEncoding ?? .base64)
        let count = target.stubs.count
        for index in new.stubs.indices { target.insertStub(at: count + index, stubAt: index, of: new) }
        return (target, incoming.count, messages, report)
    }

    /// Returns the stubs that are HTTP, and the reasons why the others are left out.
    private func checked(
        _ input: (stubs: [Stub], failures: [String]),
        of name: String
    ) -> (stubs: [Stub], failures: [String]) {
        let faults = input.stubs.compactMap(\.syntaxFault)
        for fault in faults { Output.say("error: \(name): a request was left out. \(fault)") }
        return (input.stubs.filter { $0.syntaxFault == nil }, input.failures + faults)
    }

    /// Returns the stubs of a file, and the reasons why some of its entries cannot be read.
    private func read(_ name: String) throws -> (stubs: [Stub], failures: [String]) {
        let text = try ToolError.naming(name, "read") {
            name == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data() : try Data(contentsOf: URL(fileURLWithPath: name))
        }
        switch try format ?? Self.format(of: name) {
        case .har:
            let directory = URL(fileURLWithPath: name).deletingLastPathComponent()
            var reader = HARImport(keepsTiming: timing, hosts: host, directory: directory)
            let stubs = try reader.stubs(in: text, of: name)
            for line in reader.notes.lines(of: "entry", "entries") { Output.say("\(name): \(line)") }
            return (stubs, [])
        case .curl:
            let commands = CurlImport(directory: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
            let (requests, failures) = try commands.requests(in: String(decoding: text, as: UTF8.self), of: name)
            for failure in failures { Output.say("error: \(name): a command was left out. \(failure)") }
            let response = try self.response()
            return (requests.map { Stub(request: $0, response: response) }, failures)
        case .http:
            guard let address = url, let url = URL(asWritten: address), Origin(url) != nil else {
                throw ToolError(
                    "\(name) is a response. Say with --url what it answers: --url https://api.example.com/users/42"
                )
            }
            let response = try HTTPMessageImport.response(in: text, of: name)
            return ([Stub(request: StubRequest(method: method, url: url), response: response)], [])
        }
    }

    private static func format(of name: String) throws -> Format {
        switch name.split(separator: ".").last?.lowercased() {
        case "har": return .har
        case "sh", "curl", "txt": return .curl
        case "http", "response": return .http
        default: throw ToolError("The format of \(name) is not known. Name it with --format har, curl or http.")
        }
    }

    private func response() throws -> StubResponse {
        let head = ResponseHead(statusCode: status, headerFields: try HeaderFields(options: header))
        return StubResponse(head: head, body: try body.map(Data.init(bodyOption:)))
    }
}
