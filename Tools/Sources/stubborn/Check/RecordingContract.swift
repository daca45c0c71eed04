import Foundation
import OpenAPI
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The comparison of recordings with an OpenAPI document.
final class RecordingContract {
    /// The subject of the comparison.
    struct Coverage: Encodable {
        let document: String
        /// The number of operations that at least one stub belongs to.
        let covered: Int
        /// The names of the other operations: `GET /users/{id}`.
        let uncovered: [String]
        /// The numbers of stubs, by their hosts, for hosts that are missing from the document.
        let elsewhere: [String: Int]
        /// The unchecked parts, and the reasons.
        let notChecked: [String]

        /// The lines for people.
        var lines: [String] {
            let name = document.printableLine
            var lines = [
                "\(name): \(covered) of \(counted(covered + uncovered.count, "operation")) covered by recordings."
            ]
            if !uncovered.isEmpty { lines.append("Not covered:") }
            lines += uncovered.prefix(50).map { "  \($0.printableLine)" }
            if uncovered.count > 50 { lines.append("  and \(uncovered.count - 50) more (--format json lists all)") }
            if !elsewhere.isEmpty {
                let hosts = elsewhere.sorted { $0.key < $1.key }.map {
                    "\($0.key.printableLine) (\(counted($0.value, "stub")))"
                }
                lines.append("Not in the document: \(hosts.joined(separator: ", "))")
            }
            if !notChecked.isEmpty { lines.append("Not checked:") }
            return lines + notChecked.map { "  \($0.printableLine)" }
        }
    }

    private let path: String
    private let check: ContractCheck
    /// The number of exchanges that were compared, or belong elsewhere.
    private var exchangeCount = 0
    private var elsewhere: [String: Int] = [:]

    /// The number of findings of one stub that are listed.
    private static let maximumCount = 20

    /// Reads an OpenAPI document.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - servers: The addresses at which the API was recorded, in addition to those of the document.
    /// - Throws: `ToolError` for a file that is not an OpenAPI document.
    init(readingFrom path: String, servers: [String]) throws {
        self.path = path
        let text = try ToolError.contents(of: path, named: "The OpenAPI document \(path.printable)")
        do {
            check = ContractCheck(try APIDocument(text, servers: servers))
        } catch let error as DocumentError {
            throw ToolError("\(path.printable): \(error.message)")
        }
    }

    /// Returns the findings about a stub: `GET /users/42 → 200: response.email: must be string, is null`.
    ///
    /// - Parameters:
    ///   - stub: The stub with its secrets redacted.
    ///   - directory: The settings of its directory, which know the placeholders.
    /// - Returns: The kinds of the problems with their messages.
    func faults(of stub: Stub, _ directory: StubDirectoryRules?) -> [(kind: Problem.Kind, message: String)] {
        // No server sent it.
        guard stub.valueName == nil else { return [] }
        exchangeCount += 1
        let result = check.check(CheckedExchange(stub, directory))
        if case .elsewhere(let host) = result.place { elsewhere[host, default: 0] += 1 }
        let path = URLComponents(url: stub.request.url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
        let status = stub.response.head.map { "\($0.statusCode)" } ?? "error"
        let name = "\(stub.request.method) \(path.count > 100 ? "\(path.prefix(99))…" : path) → \(status)"
        var faults = result.findings.prefix(Self.maximumCount).map { finding in
            (finding.kind.problem, "\(name): \(finding.description)")
        }
        let rest = result.findings.dropFirst(Self.maximumCount)
        if let first = rest.first(where: { $0.kind == .violation }) ?? rest.first {
            faults.append((first.kind.problem, "\(name): \(rest.count) more, which are not listed"))
        }
        return faults
    }

    /// Returns the subject of the comparison.
    ///
    /// - Throws: `ToolError` if no stub belongs to the document, because an empty check would pass.
    func coverage() throws -> Coverage {
        if exchangeCount > 0, elsewhere.values.reduce(0, +) == exchangeCount {
            let hosts = elsewhere.keys.sorted().prefix(5).joined(separator: ", ").printable
            throw ToolError(
                "No recording is from a server of \(path.printable); they are from \(hosts). Nothing was compared. Pass the "
                    + "address at which the API was recorded with --server."
            )
        }
        let uncovered = check.uncovered
        return Coverage(
            document: path,
            covered: check.operations.count - uncovered.count,
            uncovered: uncovered,
            elsewhere: elsewhere,
            notChecked: check.notes
        )
    }
}

extension Finding.Kind {
    fileprivate var problem: Problem.Kind {
        switch self {
        case .violation: .contractBreach
        case .remark: .contractRemark
        case .undocumented: .undocumented
        }
    }
}

extension CheckedExchange {
    /// Creates the exchange that a stub has recorded.
    fileprivate init(_ stub: Stub, _ directory: StubDirectoryRules?) {
        self.init(method: stub.request.method, url: stub.request.url)
        let fields = { (fields: HeaderFields) in fields.map { (name: $0.name, value: $0.value) } }
        requestFields = fields(stub.request.headerFields)
        requestBody = stub.request.plainBody
        status = stub.response.head?.statusCode
        responseFields = fields(stub.response.head?.headerFields ?? [:])
        responseBody = stub.response.body
        isComplete = stub.response.failure == nil
        guard let directory else { return }
        let request = stub.request
        isPlaceholder = { value, isNumber, isRequest in
            directory.isPlaceholder(value, isNumber: isNumber, in: isRequest ? request : nil)
        }
    }
}
