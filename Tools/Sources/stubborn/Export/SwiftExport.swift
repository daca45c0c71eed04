import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Writes stubs as Swift source: a `network.stub(…)` for each different request.
struct SwiftExport {
    /// The information that the source does not contain.
    private(set) var notes = Notes()

    /// Returns the declarations of stubs, in the order in which they must be made.
    mutating func source(for stubs: [Stub]) throws -> String {
        var groups: [(request: StubRequest, responses: [StubResponse])] = []
        var indices: [StubRequest: Int] = [:]
        for stub in stubs {
            var key = stub.request
            key.headerFields = [:]
            if let index = indices[key] {
                groups[index].responses.append(stub.response)
            } else {
                indices[key] = groups.count
                groups.append((stub.request, [stub.response]))
            }
        }
        // The latest declaration that matches answers, and one without a body matches every body.
        let bodiless = groups.filter { $0.request.body?.isEmpty ?? true }
        let others = groups.filter { !($0.request.body?.isEmpty ?? true) }
        return try (bodiless + others).map { group in
            let pattern = pattern(for: group.request)
            let responses = try group.responses.map { try response($0) }
            guard responses.count > 1 else { return "network.stub(\n    \(pattern),\n    with: \(responses[0])\n)" }
            return "network.stub(\n    \(pattern),\n    with: [\n        "
                + responses.joined(separator: ",\n        ") + ",\n    ]\n)"
        }.joined(separator: "\n")
    }

    private mutating func pattern(for request: StubRequest) -> String {
        let url = SwiftLiteral.text(request.url.absoluteString)
        if request.url.absoluteString.contains("REDACTED") || request.body?.range(of: Data("REDACTED".utf8)) != nil {
            notes.add("with a placeholder in the URL or body: change the pattern, or it matches no real request")
        }
        let hasFunction = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].contains(request.method)
        // A segment that begins with a colon is a placeholder of a path template.
        let isTemplate = request.url.absoluteString.contains("/:")
        var pattern =
            hasFunction && !isTemplate
            ? ".\(request.method.lowercased())(\(url))"
            : ".method(\(SwiftLiteral.text(request.method))) && .url(\(url))"
        if let body = request.body, !body.isEmpty {
            if let json = SwiftLiteral.json(body), ["[", "{"].contains(String(decoding: body.prefix(1), as: UTF8.self))
            {
                pattern += " && .requestBody(exactJSON: \(json))"
            } else {
                pattern += " && .requestBody(\(SwiftLiteral.data(body)))"
            }
        }
        return pattern
    }

    private mutating func response(_ response: StubResponse) throws -> String {
        var source = try head(response)
        if let timing = response.timing {
            if timing.secondsToFirstByte > 0 {
                source += ".delayed(by: .milliseconds(\(Int(timing.secondsToFirstByte * 1000))))"
            }
            if timing.chunks.count > 1 {
                notes.add("with times of parts, which are left out")
            }
        }
        return source
    }

    private mutating func head(_ response: StubResponse) throws -> String {
        guard let head = response.head else { return error(response.failure) }
        let body = response.body
        let source = source(head, body)
        guard let failure = response.failure else { return source }
        if failure.domain != NSURLErrorDomain || failure.code != URLError.Code.networkConnectionLost.rawValue {
            notes.add("with an error after a part of the body, which becomes a lost connection")
        }
        return source + ".dropped(afterByteCount: \(body?.count ?? 0))"
    }

    private func source(_ head: ResponseHead, _ body: Data?) -> String {
        var fields = head.headerFields
        guard let body else {
            return ".status(\(([String(head.statusCode)] + headers(fields)).joined(separator: ", ")))"
        }
        // The function that makes the response computes the length itself.
        if fields["Content-Length"] == String(body.count) { fields["Content-Length"] = nil }
        let types = fields.values(named: "Content-Type")
        guard types.count == 1 else {
            let arguments = ["statusCode: \(head.statusCode)"] + headers(head.headerFields, "headers")
            return ".init(head: ResponseHead(\(arguments.joined(separator: ", "))), body: \(SwiftLiteral.data(body)))"
        }
        fields["Content-Type"] = nil
        var arguments = [SwiftLiteral.data(body), "contentType: \(SwiftLiteral.text(types[0]))"]
        if head.statusCode != 200 { arguments.append("statusCode: \(head.statusCode)") }
        return ".data(\((arguments + headers(fields)).joined(separator: ", ")))"
    }

    /// Returns the argument for header fields; none if there are no fields.
    private func headers(_ fields: HeaderFields, _ label: String = "headers") -> [String] {
        guard !fields.isEmpty else { return [] }
        let list = fields.map { "\(SwiftLiteral.text($0.name)): \(SwiftLiteral.text($0.value))" }
        return ["\(label): [\(list.joined(separator: ", "))]"]
    }

    private func error(_ failure: StubFailure?) -> String {
        guard let failure else { return ".failure(URLError(.unknown))" }
        if failure.domain == NSURLErrorDomain {
            let code = failure.codeName.map { ".\($0)" } ?? "URLError.Code(rawValue: \(failure.code))"
            return ".failure(URLError(\(code)))"
        }
        return ".failure(NSError(domain: \(SwiftLiteral.text(failure.domain)), code: \(failure.code)))"
    }
}

extension StubFailure {
    /// The name of the code in `URLError`, for the errors that a server or a network causes; `nil` for others.
    var codeName: String? {
        domain == NSURLErrorDomain ? Self.codeNames.first { $0.key.rawValue == code }?.value : nil
    }

    private static let codeNames: [URLError.Code: String] = [
        .badServerResponse: "badServerResponse", .cancelled: "cancelled", .cannotConnectToHost: "cannotConnectToHost",
        .cannotFindHost: "cannotFindHost", .cannotParseResponse: "cannotParseResponse",
        .dnsLookupFailed: "dnsLookupFailed", .httpTooManyRedirects: "httpTooManyRedirects",
        .networkConnectionLost: "networkConnectionLost", .notConnectedToInternet: "notConnectedToInternet",
        .secureConnectionFailed: "secureConnectionFailed", .serverCertificateHasBadDate: "serverCertificateHasBadDate",
        .serverCertificateHasUnknownRoot: "serverCertificateHasUnknownRoot",
        .serverCertificateUntrusted: "serverCertificateUntrusted", .timedOut: "timedOut",
    ]
}
