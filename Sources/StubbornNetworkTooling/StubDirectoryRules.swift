import Foundation
@_spi(Tools) import StubbornNetwork

/// The rules of a stub directory: the standard rules and the rules of the nearest `.stubborn.json`.
@_spi(Tools) public struct StubDirectoryRules: Sendable {
    private let settings: NetworkSettings

    /// Reads the settings of a stub directory.
    ///
    /// - Throws: `StubbornNetworkError` for a settings file that cannot be read, or has an unknown key or a value
    ///   of the wrong type.
    public init(for directory: URL) throws {
        settings = try NetworkSettings(of: directory)
    }

    /// The settings file; `nil` if there is none.
    @_spi(Tools) public var file: URL? { settings.directory.file }

    /// The encoding in the settings file; `nil` if it has none.
    public var bodyEncoding: BodyEncoding? { settings.directory.bodyEncoding }

    /// Returns a Boolean value that indicates whether the settings file allows a problem of a stub file.
    ///
    /// - Parameters:
    ///   - problem: The key below `allowed`: `recorded-error`.
    ///   - file: The stub file.
    ///   - position: The position of the stub that has the problem; `nil` for the whole file.
    /// - Returns: `true` if the file or the stub is listed there.
    @_spi(Tools) public func allows(_ problem: String, in file: URL, stub position: Int?) -> Bool {
        guard let list = StubDirectorySettings.List(rawValue: "allowed.\(problem)") else { return false }
        let name = file.deletingPathExtension().lastPathComponent
        return settings.directory[list].contains { $0 == name || position.map { "\(name):\($0)" } == $0 }
    }

    /// Returns stubs without their secrets, and a report on what was replaced and what was kept.
    ///
    /// A secret is replaced in all stubs, even in those before the one in which it was recognized. Stubs without a secret are
    /// returned unchanged.
    public func redacted(_ stubs: [Stub]) -> (stubs: [Stub], report: RedactionReport) {
        let redactor = Redactor(settings.rules.redaction, environment: ProcessInfo.processInfo.environment)
        for stub in stubs { redactor.learn(fromStored: stub) }
        let result = stubs.map(redactor.redact).map(redactor.redactAgain)
        for (number, stub) in result.enumerated() { try? redactor.scan(stub, number: number) }
        return (result, redactor.report)
    }

    /// Returns the part of a stub in which a secret would be replaced, and the rule; `nil` if there is none.
    public func secret(in stub: Stub) -> (part: String, rule: String)? {
        redacted([stub]).report.replacements.first.map { ($0.part, $0.rule) }
    }

    /// Returns a Boolean value that indicates whether a value in a stub stands for any value.
    ///
    /// - Parameters:
    ///   - value: A string, or a JSON number as it is written.
    ///   - isNumber: A Boolean value that indicates whether it is a JSON number.
    ///   - request: The request that the value is in; `nil` for a value of a response.
    /// - Returns: `true` for a placeholder of this library, or of a different tool if the settings list it.
    @_spi(Tools) public func isPlaceholder(_ value: String, isNumber: Bool = false, in request: StubRequest?) -> Bool {
        let forms = PlaceholderForms(listed: request?.placeholders, declared: settings.directory[.placeholders])
        return forms.isWildcard(value, isNumber: isNumber, inResponse: request == nil)
    }

    /// Returns the comparison of two recordings of a conversation, by these rules.
    @_spi(Tools) public func comparison(_ old: [Stub], _ new: [Stub]) -> RecordingComparison {
        RecordingComparison(old, new, settings.mergeRules)
    }

    /// Returns the normal form of the stubs of a recording, by these rules.
    @_spi(Tools) public func normalForm(of stubs: [Stub]) -> NormalForm { NormalForm(stubs, settings.mergeRules) }
}

extension NormalForm {
    /// Returns the form of the stub at an index as text: the request, an empty line, and the response.
    @_spi(Tools) public func text(ofStubAt index: Int) -> String {
        "\(requests[index].text)\n\n\(response(at: index).text)"
    }
}

extension NormalForm.Message {
    fileprivate var text: String {
        let lines = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.joined(separator: " "))" }
        let body = body == .null ? [] : [body.text(upTo: .max)]
        return (["\(head) \(url)"] + lines + body).joined(separator: "\n")
    }
}
