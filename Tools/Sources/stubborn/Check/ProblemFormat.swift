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
        case .sarif: try Self.sarif(check.problems)
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

    /// Returns a log of one run in SARIF 2.1.0.
    private static func sarif(_ problems: [Problem]) throws -> String {
        let rules = Problem.Kind.allCases.map {
            ["id": $0.rawValue, "shortDescription": ["text": $0.summary]] as [String: Any]
        }
        let results = problems.map { problem -> [String: Any] in
            let path = problem.file.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? problem.file
            var location: [String: Any] = ["artifactLocation": ["uri": path]]
            if let line = problem.line { location["region"] = ["startLine": line] }
            return [
                "ruleId": problem.kind.rawValue, "level": problem.severity.rawValue,
                "message": ["text": problem.message], "locations": [["physicalLocation": location]],
            ]
        }
        let driver: [String: Any] = ["name": "stubborn", "version": StubbornNetwork.version, "rules": rules]
        let log: [String: Any] = [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
            "runs": [["tool": ["driver": driver], "results": results] as [String: Any]],
        ]
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try JSONSerialization.data(withJSONObject: log, options: options), as: UTF8.self)
    }

    private static func escaped(_ text: String, _ others: String) -> String {
        text.printableLines.unicodeScalars.reduce(into: "") { result, scalar in
            let isSpecial = "%\r\n".unicodeScalars.contains(scalar) || others.unicodeScalars.contains(scalar)
            result += isSpecial ? String(format: "%%%02X", scalar.value) : String(scalar)
        }
    }
}

/// The subject and the findings of a check.
struct CheckedFiles: Encodable {
    let files: Int
    let stubs: Int
    let errors: Int
    let warnings: Int
    let problems: [Problem]
    /// The subject of the check of an OpenAPI document; `nil` without one.
    let openapi: RecordingContract.Coverage?

    init(files: Int, stubs: Int, problems: [Problem], openapi: RecordingContract.Coverage? = nil) {
        (self.files, self.stubs, self.problems, self.openapi) = (files, stubs, problems, openapi)
        errors = problems.filter { $0.severity == .error }.count
        warnings = problems.count - errors
    }
}
