import Foundation
@_spi(Tools) import StubbornNetworkTooling

/// A request and its response, as a contract describes them.
package struct CheckedExchange: Sendable {
    package typealias Field = (name: String, value: String)

    package var method: String
    package var url: URL
    package var requestFields: [Field] = []
    package var requestBody: Data?
    /// The status; `nil` if there was no response.
    package var status: Int?
    package var responseFields: [Field] = []
    package var responseBody: Data?
    /// A Boolean value that indicates whether the body of the response is complete.
    package var isComplete = true
    /// Returns a Boolean value that indicates whether a string or a number stands for any value, in the request or the
    /// response.
    package var isPlaceholder: @Sendable (_ value: String, _ isNumber: Bool, _ isRequest: Bool) -> Bool = { _, _, _ in
        false
    }

    package init(method: String, url: URL) { (self.method, self.url) = (method, url) }
}

/// A check of exchanges against an OpenAPI document.
package final class ContractCheck {
    /// The part of the document for an exchange.
    package enum Place: Equatable {
        /// An operation, by its name: `GET /users/{id}`.
        case operation(String)
        /// A path or a method that the document lacks, at one of its servers.
        case undocumented
        /// A different server, by its host.
        case elsewhere(String)
    }

    package struct Result {
        package var place: Place
        package var findings: [Finding]
    }

    let document: APIDocument
    let check: SchemaCheck
    let reader: ParameterReader
    private var covered: Set<String> = []

    package init(_ document: APIDocument) {
        self.document = document
        check = SchemaCheck(document.resources, dialect: document.dialect)
        reader = ParameterReader(check: check)
    }

    /// The names of all operations: `GET /users/{id}`.
    package var operations: [String] { document.operations.map(\.name) }

    /// The names of the operations that no exchange belonged to.
    package var uncovered: [String] { operations.filter { !covered.contains($0) } }

    /// The unchecked parts, and the reasons.
    package var notes: [String] { check.notes.sorted() }

    /// Returns the operation of an exchange, and the faults of the exchange.
    package func check(_ exchange: CheckedExchange) -> Result {
        let address = RequestAddress(exchange.url)
        // Several operations may have the same method and path.
        var best: [(operation: APIOperation, values: [String: String])] = []
        var bestRank: [Int] = []
        var others: [String] = []
        // For each server that the request may be for, the segments after the server's path.
        let remaining = document.servers.map { $0.compactMap { $0.segments(of: address) } }
        for operation in document.operations {
            for segments in remaining[operation.servers] {
                guard let values = Self.values(operation.segments, segments) else { continue }
                guard operation.method == exchange.method.uppercased() else {
                    others.append(operation.method)
                    continue
                }
                // A concrete path comes before a template.
                let rank = operation.segments.map { $0.isConcrete ? 0 : 1 }
                if best.isEmpty || rank.lexicographicallyPrecedes(bestRank) { (best, bestRank) = ([], rank) }
                if rank == bestRank { best.append((operation, values)) }
            }
        }
        guard remaining.contains(where: { !$0.isEmpty }) else {
            return Result(place: .elsewhere(address.host), findings: [])
        }
        let results = best.map { ($0.operation.name, findings(exchange, $0.operation, address, $0.values)) }
        guard let (name, findings) = results.min(by: { $0.1.count < $1.1.count }) else {
            let list = Array(Set(others)).sorted().joined(separator: ", ")
            let message =
                others.isEmpty ? "the document lacks this path" : "the document has only \(list) for this path"
            let finding = Finding(kind: .undocumented, path: ValuePath("request"), message: message, schema: nil)
            return Result(place: .undocumented, findings: [finding])
        }
        covered.insert(name)
        return Result(place: .operation(name), findings: Self.grouped(findings))
    }

    /// Returns the findings about an exchange of an operation.
    private func findings(
        _ exchange: CheckedExchange,
        _ operation: APIOperation,
        _ address: RequestAddress,
        _ values: [String: String]
    ) -> [Finding] {
        var findings: [Finding] = []
        // A request that the server refused may be wrong on purpose.
        if !(400..<500).contains(exchange.status ?? 0) {
            check.direction = .request
            check.isPlaceholder = Self.placeholders(exchange, isRequest: true)
            findings += requestFindings(exchange, operation, address, values)
        }
        check.direction = .response
        check.isPlaceholder = Self.placeholders(exchange, isRequest: false)
        return findings + responseFindings(exchange, operation)
    }

    private static func placeholders(_ exchange: CheckedExchange, isRequest: Bool) -> (JSON) -> Bool {
        let isPlaceholder = exchange.isPlaceholder
        return { value in
            switch value {
            case .string(let text): isPlaceholder(text, false, isRequest)
            case .number(let digits): isPlaceholder(digits, true, isRequest)
            default: false
            }
        }
    }

    private static func values(_ template: [SegmentTemplate], _ segments: ArraySlice<String>) -> [String: String]? {
        guard template.count == segments.count else { return nil }
        var result: [String: String] = [:]
        for (template, segment) in zip(template, segments) {
            guard let values = template.values(in: segment) else { return nil }
            result.merge(values) { $1 }
        }
        return result
    }

    /// Returns the findings, with a single one for all elements of an array that have the same fault.
    private static func grouped(_ findings: [Finding]) -> [Finding] {
        struct Key: Hashable {
            let path: ValuePath
            let fault: String
        }
        var counts: [Key: Int] = [:]
        var order: [(key: Key, finding: Finding)] = []
        for finding in findings {
            let fault = finding.message.components(separatedBy: ", is ")[0].components(separatedBy: ", has ")[0]
            let key = Key(path: finding.path.withoutIndices, fault: fault)
            counts[key, default: 0] += 1
            if counts[key] == 1 { order.append((key, finding)) }
        }
        return order.map { key, finding in
            let count = counts[key] ?? 1
            guard count > 1 else { return finding }
            let message = "\(finding.message), and \(count - 1) more like it"
            return Finding(kind: finding.kind, path: finding.path, message: message, schema: finding.schema)
        }
    }

    func finding(_ kind: Finding.Kind, _ path: ValuePath, _ message: String) -> Finding {
        Finding(kind: kind, path: path, message: message, schema: nil)
    }

    func resolved(_ part: JSON?) -> JSON? {
        guard let part else { return nil }
        if let result = document.resolved(part) { return result }
        check.note(
            "The $ref \(part["$ref"]?.text ?? "") leads out of the document or nowhere, so the part that it describes was not checked."
        )
        return nil
    }

    // MARK: The response

    private func responseFindings(_ exchange: CheckedExchange, _ operation: APIOperation) -> [Finding] {
        guard let status = exchange.status else { return [] }
        let path = ValuePath("response")
        let responses = operation.content["responses"]?.members ?? [:]
        let key = ["\(status)", "\(status / 100)XX", "\(status / 100)xx", "default"].first { responses[$0] != nil }
        guard let key else {
            let list = responses.keys.sorted().joined(separator: ", ")
            let others = list.isEmpty ? "" : ", only \(list)"
            return [finding(.undocumented, path, "the document lacks the status \(status)\(others)")]
        }
        guard let response = resolved(responses[key]) else { return [] }
        var findings: [Finding] = []
        for (name, header) in (response["headers"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard name.lowercased() != "content-type", let header = resolved(header) else { continue }
            let inner = ValuePath("response.header").appending(name)
            guard let text = Self.field(name, exchange.responseFields) else {
                if header["required"]?.isTrue == true {
                    findings.append(finding(.violation, inner, "is required, and missing"))
                }
                continue
            }
            let schema = header["schema"] ?? header["content"]?.members?.values.first?["schema"]
            if let schema { findings += check.findings(simpleValue(text, header), schema, at: inner) }
        }
        guard exchange.isComplete else { return findings }
        let content = response["content"]?.members ?? [:]
        let body = exchange.responseBody.flatMap { $0.isEmpty ? nil : $0 }
        let mayHaveBody = exchange.method.uppercased() != "HEAD" && status != 204 && status != 304 && status >= 200
        switch (body, content.isEmpty) {
        case (nil, false):
            if mayHaveBody { findings.append(finding(.violation, path, "must have a body")) }
        case (nil, true): break
        case (_?, true):
            findings.append(finding(.undocumented, path, "has a body, but the document describes none"))
        case (let body?, false):
            findings += self.findings(body, Self.field("Content-Type", exchange.responseFields), .object(content), path)
        }
        return findings
    }

    // MARK: Bodies

    /// Returns the findings about a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: The value of the field `Content-Type`.
    ///   - content: The types in the document, with their schemas.
    ///   - path: The path of the body.
    /// - Returns: The findings, in the order of the schema's keywords.
    func findings(_ body: Data, _ type: String?, _ content: JSON?, _ path: ValuePath) -> [Finding] {
        let content = content?.members ?? [:]
        // A stub that was written by hand may not specify a type.
        let value = try? JSON(body)
        let assumed =
            content.keys.sorted().first { MediaType($0).isJSON == (value != nil) } ?? content.keys.sorted().first
        guard let type = type ?? assumed else { return [] }
        let actual = MediaType(type)
        let closest = content.keys.sorted().compactMap { key in actual.closeness(to: MediaType(key)).map { (key, $0) } }
            .max { $0.1 < $1.1 }
        guard let closest else {
            let list = content.keys.sorted().joined(separator: ", ")
            return [finding(.violation, path, "must be \(list), is \(actual.name.cut(to: 60))")]
        }
        guard let schema = resolved(content[closest.0])?["schema"] else { return [] }
        if check.isPlaceholder(.string(String(decoding: body.prefix(10_000), as: UTF8.self))), value == nil {
            return []
        }
        if actual.isJSON {
            guard let value else { return [finding(.violation, path, "must be JSON, is not")] }
            return check.findings(value, schema, at: path)
        }
        guard let text = String(data: body, encoding: .utf8), actual.isForm || actual.isText else {
            check.note("Bodies of the type \(actual.name.cut(to: 60)) were not checked.")
            return []
        }
        if actual.isText { return check.findings(reader.value(of: text, schema), schema, at: path) }
        return check.findings(reader.object(of: FormText.fields(of: text), schema), schema, at: path)
    }

    static func field(_ name: String, _ fields: [CheckedExchange.Field]) -> String? {
        let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    static func cookies(_ field: String) -> [CheckedExchange.Field] {
        field.split(separator: ";").map { cookie in
            let parts = cookie.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
        }
    }
}
