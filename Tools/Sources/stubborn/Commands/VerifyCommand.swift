import ArgumentParser
import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compares recordings with the real server's current answers.",
        discussion: """
            $ stubborn verify Stubs --base https://api.example.com --header "Authorization: Bearer $TOKEN"
            Stubs/User.json was compared with the server: 2 of 3 stubs are the same.
            GET https://api.example.com/users/42:
              body.name: recorded "Ada", received null

            Every recorded request is sent again, in its order, including those that change something: use a test server, or --safe \
            for only GET, HEAD, OPTIONS and GraphQL queries. --base replaces the scheme, host and port of the \
            recordings. Without it, each request goes to the server that it was recorded from.

            A request with a placeholder for a secret is not sent: pass the secret with --header, which replaces the field of that \
            name. Ids are sent as they were recorded. To verify requests that need a login or new ids, run the tests with \
            STUB_RECORD_MODE=verifying. Nothing is written.

            Differences have a severity: volatile (values that change each time), values, structure (a new JSON key), \
            breaking (a different status or type, a missing key, no answer). The exit status is 1 for a difference of at \
            least --fail-on, and 3 if a request was not sent because of a placeholder.
            """
    )

    @Argument(help: ArgumentHelp("Stub files, and directories with stub files.", valueName: "path"))
    var paths: [String] = ["."]

    @Option(help: "The URL of the server to ask: https://staging.example.com.")
    var base: String?

    @Option(
        help: ArgumentHelp(
            "A header field, 'Name: value', for requests that were recorded with it; may be repeated.",
            valueName: "field"
        )
    )
    var header: [String] = []

    @Option(help: "The host that gets --header, if requests to several hosts were recorded with it.")
    var host: String?

    @Flag(help: "Leave out requests other than GET, HEAD, OPTIONS and GraphQL queries.")
    var safe = false

    @Option(help: "The format: text, or json for programs.")
    var format: OutputFormat = .text

    @Option(help: "The lowest severity that gives exit status 1: volatile, values, structure or breaking.")
    var failOn: VerificationReport.Severity = .values

    @Option(help: "The time to wait for an answer, in seconds.")
    var timeout = 30.0

    func validate() throws {
        guard timeout > 0, timeout.isFinite else { throw ValidationError("--timeout takes a number of seconds.") }
    }

    func run() async throws {
        let verifier = try StubVerifier(base: base, fields: header, host: host, onlySafe: safe, timeout: timeout)
        var files: [(path: String, requests: [StubRequest])] = []
        let failureCount = try FoundFile.forEach(in: paths) { found, file in
            files.append(
                (found.path, file.stubs.filter { $0.valueName == nil && !$0.request.isWebSocket }.map(\.request))
            )
        }
        try verifier.checkHosts(of: files.flatMap(\.requests))
        var result = Result()
        for file in files {
            let (report, unsent) = try await verifier.report(on: file.path, file.requests)
            result.files.append(report)
            result.notSent += unsent
        }
        if format == .json {
            try Output.write(JSONOutput.text(of: "verify", result))
        } else {
            for report in result.files { try Output.write(report.description) }
            for request in result.notSent { try Output.write(request.reason) }
        }
        if failureCount > 0 { throw ExitCode.impossible }
        if result.files.contains(where: { !$0.stubs(atLeast: failOn).isEmpty }) { throw ExitCode.found }
        if !result.notSent.isEmpty { throw ExitCode.unverified }
    }

    private struct Result: Encodable {
        var files: [VerificationReport] = []
        var notSent: [StubVerifier.UnsentRequest] = []
    }
}

extension VerificationReport.Severity: @retroactive ExpressibleByArgument {}
