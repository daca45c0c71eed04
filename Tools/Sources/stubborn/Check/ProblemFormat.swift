import ArgumentParser
import Foundation
@preconcurrency import Rainbow
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The formats in which `stubborn check` prints the problems.
enum ProblemFormat: String, CaseIterable, ExpressibleByArgument {
    /// For people: a line for each problem, grouped by file.
    case text
    /// For programs: an object with the problems.
    case json
    /// For GitHub Actions: commands that put the problems next to the lines of a pull request.
    case github
    /// For code scanning: SARIF 2.1.0 (OASIS Standard).
    case sarif

    /// Returns all problems of a check in this format.
    func text(_ check: CheckedFiles) throws -> String {
        switch self {
        case .text: check.problems.map(Self.line).joined(separator: "\n")
        case .json: try JSONOutput.text(of: "check", check)
        case .github: check.problems.map(Self.command).joined(separator: "\n")
        case .sarif: try JSONOutput.text(of: SARIF(check.problems))
        }
    }

    private static func line(_ problem: Problem) -> String {
        let position = problem.line.map { ":\($0)" } ?? ""
        let severity = problem.severity == .error ? "error".red : "warning".yellow
        return
            "\(problem.file.printableLine)\(position): \(severity): \(problem.message.printableLine) [\(problem.kind.rawValue)]"
    }

    /// Returns a workflow command: https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
    private static func command(_ problem: Problem) -> String {
        let properties = [
            ("file", problem.file), ("line", problem.line.map(String.init)), ("title", problem.kind.rawValue),
        ]
        let list = properties.compactMap { name, value in value.map { "\(name)=\(escaped($0, ",:"))" } }
        return
            "::\(problem.severity.rawValue) \(list.joined(separator: ","))::\(escaped(problem.message, ""))"
    }

    private static func escaped(_ text: String, _ others: String) -> String {
        text.printableLines.unicodeScalars.reduce(into: "") { result, scalar in
            let isSpecial = "%\r\n".unicodeScalars.contains(scalar) || others.unicodeScalars.contains(scalar)
            result += isSpecial ? String(format: "%%%02X", scalar.value) : String(scalar)
        }
    }
}

/// What a check was about, and what it found.
struct CheckedFiles: Encodable {
    let files: Int
    let stubs: Int
    let errors: Int
    let warnings: Int
    let problems: [Problem]
    /// What the check of an OpenAPI document was about; `nil` without one.
    let openapi: RecordingContract.Coverage?

    init(files: Int, stubs: Int, problems: [Problem], openapi: RecordingContract.Coverage? = nil) {
        (self.files, self.stubs, self.problems, self.openapi) = (files, stubs, problems, openapi)
        errors = problems.filter { $0.severity == .error }.count
        warnings = problems.count - errors
    }
}

/// A log of one run in SARIF 2.1.0.
private struct SARIF: Encodable {
    struct Text: Encodable { var text: String }
    struct Rule: Encodable {
        var id: String
        var shortDescription: Text
    }
    struct Driver: Encodable {
        var name = "stubborn"
        var version = StubbornNetwork.version
        var rules: [Rule]
    }
    struct Tool: Encodable { var driver: Driver }
    struct Artifact: Encodable { var uri: String }
    struct Region: Encodable { var startLine: Int }
    struct PhysicalLocation: Encodable {
        var artifactLocation: Artifact
        var region: Region?
    }
    struct Location: Encodable { var physicalLocation: PhysicalLocation }
    struct Result: Encodable {
        var ruleId: String
        var level: String
        var message: Text
        var locations: [Location]
    }
    struct Run: Encodable {
        var tool: Tool
        var results: [Result]
    }

    var schema = "https://json.schemastore.org/sarif-2.1.0.json"
    var version = "2.1.0"
    var runs: [Run]

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }

    init(_ problems: [Problem]) {
        let rules = Problem.Kind.allCases.map { Rule(id: $0.rawValue, shortDescription: Text(text: $0.summary)) }
        let results = problems.map { problem in
            let path = problem.file.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? problem.file
            let location = PhysicalLocation(
                artifactLocation: Artifact(uri: path),
                region: problem.line.map { Region(startLine: $0) }
            )
            return Result(
                ruleId: problem.kind.rawValue,
                level: problem.severity.rawValue,
                message: Text(text: problem.message),
                locations: [Location(physicalLocation: location)]
            )
        }
        runs = [Run(tool: Tool(driver: Driver(rules: rules)), results: results)]
    }
}
