import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Shows which stub answers a request and why, or which comes closest.",
        discussion: """
            The request is compared as on playback, with the settings of .stubborn.json, and as the first request of a test. \
            Nothing is sent.

            Example:

              stubborn explain Tests/Stubs/LoginTests_testLogin.json --request 'GET https://api.example.com/users/42'

            The exit status is 1 if no stub answers.
            """
    )

    @Argument(help: "The stub file.", completion: .file(extensions: ["json"]))
    var file: String

    @Option(help: ArgumentHelp("The request: 'GET https://…', or the URL only.", valueName: "request"))
    var request: String

    @Option(help: ArgumentHelp("A header field, 'Name: value'; may be repeated.", valueName: "field"))
    var header: [String] = []

    @Option(help: "The body as text, or @ and the path of a file.")
    var body: String?

    @OptionGroup var playback: PlaybackOptions

    @Option(help: "The format: text, or json for programs.")
    var format: OutputFormat = .text

    /// The explanation for programs.
    private struct Explanation: Encodable {
        var file: String
        /// The stub that answers.
        var answer: StubObject?
        /// The positions of all stubs that match, from 1.
        var matching: [Int] = []
        var matchedBy: String
        /// The reason why no stub answers.
        var report: UnstubbedRequestReport?
    }

    func run() throws {
        let request = try stubRequest()
        let url = URL(fileURLWithPath: file)
        let network = StubbornNetwork(.stubFile(at: url), environment: [:])
        playback.apply(to: network)
        let stubs = try ServedStubs(of: network)
        let found = stubs.matching(request)
        var explanation = Explanation(file: file, matching: found.positions, matchedBy: found.matchers)
        guard let answer = found.answer else {
            guard case .failure(let error as StubbornNetworkError)? = stubs.steps(for: request).first?.event else {
                throw ToolError("No stub file contains a similar request.")
            }
            explanation.report = error.report
            try write(explanation, error.report?.description ?? error.description)
            throw ExitCode.found
        }
        let document = try StubFile(contentsOf: url)
        let stub = document.stub(at: answer - 1)
        let line = document.line(ofStubAt: answer - 1)
        explanation.answer = try StubObject(stub, position: answer, line: line)
        var lines = ["Stub \(answer) answers, \(file):\(line ?? 1): \(stub)".printableLine]
        lines.append("Matched by \(found.matchers).".printableLine)
        let others = found.positions.filter { $0 != answer }.map(String.init)
        if !others.isEmpty {
            lines.append(
                "For repeated requests: \(counted(others.count, "stub")) more, \(others.joined(separator: ", "))."
            )
        }
        try write(explanation, lines.joined(separator: "\n"))
    }

    private func write(_ explanation: Explanation, _ text: String) throws {
        try Output.write(format == .json ? try JSONOutput.text(of: "explain", explanation) : text)
    }

    private func stubRequest() throws -> StubRequest {
        let words = request.split(separator: " ", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard let text = words.last, let url = URL(asWritten: text), Origin(url) != nil else {
            throw ToolError(
                "\(request.printable) is not a request. Write it as 'GET https://api.example.com/users/42'."
            )
        }
        let data = try body.map(Data.init(bodyOption:))
        let method = words.count > 1 ? words[0] : data == nil ? "GET" : "POST"
        return StubRequest(method: method, url: url, headers: try HeaderFields(options: header), body: data)
    }
}
