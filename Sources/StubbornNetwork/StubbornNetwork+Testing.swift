import Foundation

/// What the testing product needs, and nobody else.
extension StubbornNetwork {
    /// Whether requests of `URLSession.shared` are known by the task that starts them.
    package static var tellsSharedSessionTasksApart: Bool { SharedSessionHook.tellsTasksApart }

    /// Has every request that nothing stubs told of, in the whole process.
    ///
    /// - Parameter tell: gets the diagnosis, and the call stack of who asked where that is known; called there.
    package static func watchUnstubbedRequests(_ tell: @escaping @Sendable (String, [String]) -> Void) {
        UnstubbedRequestWatch.begin(tell)
    }

    package static func stopWatchingUnstubbedRequests() {
        UnstubbedRequestWatch.end()
    }

    /// The requests made, in the order in which they started, with secrets redacted by the network's rules.
    package var redactedRequests: [StubRequest] {
        // Of its own, so that the placeholders are numbered by the order of the requests.
        let redactor = Redactor(redaction, environment: engine.environment.variables)
        return exchanges.map { exchange in
            redactor.redact(Stub(request: exchange.request, response: .status(200))).request
        }
    }
}

extension StubRequest {
    /// The request without what differs from platform to platform and from run to run: header fields that the platform or
    /// the transport sets by itself, and the boundary of a multipart body.
    package var withoutAccidents: StubRequest {
        var request = self
        let fields = headerFields.filter { field in
            let name = field.name.lowercased()
            return !HeaderComparison.namesSetByPlatform.contains(name) && !(name == "accept" && field.value == "*/*")
        }
        request.headerFields = HeaderFields(fields)
        let type = ContentType(headerFields["Content-Type"] ?? "")
        guard type.isMultipart, let boundary = type.boundary, !boundary.isEmpty else { return request }
        request.headerFields["Content-Type"] = headerFields["Content-Type"]?
            .replacingOccurrences(of: boundary, with: "boundary")
        request.body = body.map { $0.replacing(Data(boundary.utf8), with: Data("boundary".utf8)) }
        return request
    }

    /// In what two bodies differ, a line each, JSON by path: `body.user.name: expected "Ada", was "Eve"`. `nil` where one
    /// of them is no JSON.
    package static func jsonDifferences(expected: String, actual: String) -> [String]? {
        guard let url = URL(string: "http://localhost"), JSONValue(body: Data(expected.utf8)) != nil,
            JSONValue(body: Data(actual.utf8)) != nil
        else { return nil }
        let fields: HeaderFields = ["Content-Type": "application/json"]
        let requests = [expected, actual].map { StubRequest(url: url, headerFields: fields, body: Data($0.utf8)) }
        let options: RequestMatcherOptions = [.requestBody]
        return options.differences(recorded: requests[0], requested: requests[1]).map { difference in
            difference.description.replacingOccurrences(of: ": recorded ", with: ": expected ")
                .replacingOccurrences(of: ", requested ", with: ", was ")
        }
    }
}

extension StubbornNetworkConfiguration {
    /// The file name for a test's name, without extension; `nil` when nothing is left of it.
    package static func fileName(for name: String) -> String? { StubFileLocation.fileName(for: name) }
}

extension Data {
    fileprivate func replacing(_ bytes: Data, with other: Data) -> Data {
        var result = Data()
        var rest = self[...]
        while let found = rest.range(of: bytes) {
            result += rest[..<found.lowerBound] + other
            rest = rest[found.upperBound...]
        }
        return result + rest
    }
}
