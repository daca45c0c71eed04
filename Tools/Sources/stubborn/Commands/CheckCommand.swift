import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Checks recordings, as a step of CI.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks recordings for CI: unreadable files, secrets, unused stubs, and more.",
        discussion: """
            Without options it looks for:
              unreadable-file   a stub file that cannot be read
              invalid-settings  a .stubborn.json that is not valid
              leftover-journal  the journal of an interrupted recording
              secret            a value that looks like a secret, by the settings of the directory
              recorded-error    an error, or a status of 500 or more, that was recorded
              large-body        a body over 1 MB (--max-body)
              same-name         files whose names differ only in case
            With --reports:
              unused-file       a stub file that no test of the run used
              unused-stub       a stub that no request of the run used
            With --older-than:
              old-recording     a stub file with nothing newer (by recordedAt, or the last commit)

            With --openapi:
              openapi               a request or a response that violates the document
              openapi-remark        a wrong format, a read-only property in a request, a write-only one in a response
              openapi-undocumented  a path, status or parameter that is missing from the document

            Example, in CI:
              STUB_REPORT=.build/stubs/ swift test --parallel
              stubborn check Tests --reports .build/stubs --older-than 90d --format github
              stubborn check Tests --openapi API.yaml

            Secrets, unreadable files and settings, journals, equal names, and violations of an OpenAPI document are errors. \
            The rest are warnings. With --fail-on error, warnings pass. List intended problems in .stubborn.json, by file or \
            by stub:
              "allowed" : { "recorded-error" : [ "NetworkTests_offline", "ShopTests_outage:2" ] }

            Exit statuses: 0 no problem with at least the severity of --fail-on, 1 some,
            2 nothing could be checked, or there is no stub file.
            """
    )

    @Argument(help: "Stub files, and directories to search for them.", completion: .file())
    var paths: [String] = ["."]

    @Option(
        help: "The directory of the reports that the tests wrote, as in STUB_REPORT.",
        completion: .directory
    )
    var reports: String?

    @Option(help: ArgumentHelp("Report files whose newest stub is older: 90d, 12w.", valueName: "age"))
    var olderThan: Age?

    @Option(
        help: ArgumentHelp("The largest body that is allowed: 500KB, 2MB, or a number of bytes.", valueName: "size")
    )
    var maxBody: ByteCount = ByteCount(1_000_000)

    @Option(
        help: ArgumentHelp(
            "Compare requests and responses with an OpenAPI document, 3.0 or 3.1, in YAML or JSON. Nothing is sent.",
            valueName: "file"
        ),
        completion: .file(extensions: ["yaml", "yml", "json"])
    )
    var openapi: String?

    @Option(
        help: ArgumentHelp(
            "An address at which the API was recorded, if the OpenAPI document does not contain it. Can be repeated.",
            valueName: "url"
        )
    )
    var server: [String] = []

    @Option(help: ArgumentHelp("Ignore a kind of problem. Can be repeated.", valueName: "kind"))
    var ignore: [Problem.Kind] = []

    @Option(help: "The lowest severity that gives exit status 1: error, warning or never.")
    var failOn: Threshold = .warning

    enum Threshold: String, CaseIterable, ExpressibleByArgument {
        case error, warning, never
    }

    @Option(help: "The format of the problems.")
    var format: ProblemFormat = .text

    @OptionGroup var color: ColorOptions

    func validate() throws {
        if openapi == nil, !server.isEmpty {
            throw ValidationError("--server is the address of the API in --openapi. Add --openapi FILE.")
        }
    }

    func run() throws {
        let files = try FoundFile.find(in: paths)
        var rules = RecordingCheck.Rules(ignored: Set(ignore), maximumBodyByteCount: maxBody.count)
        rules.usage = try reports.map { try RunUsage(in: $0) }
        rules.contract = try openapi.map { try RecordingContract(readingFrom: $0, servers: server) }
        if let reason = rules.usage?.reasonToKeepAll(files) {
            Output.say(reason)
            rules.usage = nil
        } else if let reports, let usage = rules.usage, !files.isEmpty, !files.contains(where: usage.includes) {
            throw ToolError(
                "The reports in \(reports.printable) are about other files. Write them again: "
                    + "STUB_REPORT=\(reports.hasSuffix("/") ? reports : reports + "/") swift test"
            )
        }
        var date = { (_: FoundFile) in Date?.none }
        if let olderThan {
            rules.oldestDate = Date(timeIntervalSinceNow: -olderThan.seconds)
            guard let git = Git(containing: paths.first ?? ".") else {
                throw ToolError(
                    "There is no git repository here, so the age of recordings is not known. Leave out --older-than."
                )
            }
            let commits = try git.commitDates(below: paths)
            date = { commits[git.name(of: $0.path)] }
        }
        var check = RecordingCheck(rules)
        check.check(files, date: date)
        check.checkJournals(in: paths, beside: files)
        // Otherwise, the check of a wrong path would pass.
        guard check.fileCount > 0 || !check.problems.isEmpty else {
            let list = paths.joined(separator: ", ").printable
            throw ToolError("No stub file was found in \(list): nothing was checked. Check the path.")
        }
        let problems = check.problems.sorted { ($0.file, $0.line ?? 0) < ($1.file, $1.line ?? 0) }
        let coverage = try rules.contract?.coverage()
        let result = CheckedFiles(files: check.fileCount, stubs: check.stubCount, problems: problems, openapi: coverage)
        if !problems.isEmpty || format == .json || format == .sarif { try Output.write(format.text(result)) }
        Output.say(
            "\(counted(result.files, "stub file")), \(counted(result.stubs, "stub")): "
                + "\(counted(result.errors, "error")), \(counted(result.warnings, "warning"))."
        )
        coverage?.lines.forEach(Output.say)
        switch failOn {
        case .never: break
        case .error: if result.errors > 0 { throw ExitCode.found }
        case .warning: if !problems.isEmpty { throw ExitCode.found }
        }
    }
}

extension Problem.Kind: ExpressibleByArgument {}

/// An age on the command line: `90d`, `12w`.
struct Age: ExpressibleByArgument {
    let seconds: TimeInterval

    init?(argument: String) {
        guard let seconds = Double(argument, units: ["d": 86_400, "w": 7 * 86_400]) else { return nil }
        self.seconds = seconds
    }
}

extension ByteCount: ExpressibleByArgument {
    /// Reads a number of bytes, kilobytes or megabytes: `512`, `500KB`, `2MB`.
    init?(argument: String) {
        guard let count = Double(argument, units: ["KB": 1_000, "MB": 1_000_000, "": 1]) else { return nil }
        self.init(Int(count))
    }
}

extension Double {
    /// Reads a number with a unit, such as `2MB`; the last unit may be empty.
    init?(_ argument: String, units: KeyValuePairs<String, Double>) {
        guard let (unit, factor) = units.first(where: { argument.uppercased().hasSuffix($0.key.uppercased()) }),
            let number = Double(argument.dropLast(unit.count).trimmingCharacters(in: .whitespaces)),
            (0...1e15).contains(number * factor)
        else { return nil }
        self = number * factor
    }
}
