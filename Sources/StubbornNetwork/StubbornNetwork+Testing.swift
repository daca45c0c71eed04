import Foundation

/// Functions for the testing product only.
extension StubbornNetwork {
    /// A Boolean value that indicates whether a request of `URLSession.shared` is assigned to the task that starts it.
    package static var tellsSharedSessionTasksApart: Bool { SharedSessionHook.tellsTasksApart }

    /// Starts reporting every unstubbed request of the process.
    ///
    /// - Parameter report: called in the context of the request with the diagnosis and the caller's stack, which is
    ///   empty when it is not known.
    package static func watchUnstubbedRequests(_ report: @escaping @Sendable (String, [String]) -> Void) {
        UnstubbedRequestWatch.begin(report)
    }

    package static func stopWatchingUnstubbedRequests() {
        UnstubbedRequestWatch.end()
    }

    /// What the process has recorded so far, with the secrets that were recognised only later redacted too.
    package var recordingReport: RecordingReport {
        let redactor = engine.redactor.withLock { $0 }
        return RecordingReport(
            recorded: recordedStubs.map(redactor.redact(_:)),
            discarded: engine.recorded.discardedStubs(),
            file: stubFile
        )
    }

    /// The requests in the order in which they started, with secrets redacted by the network's rules.
    package var redactedRequests: [StubRequest] {
        // A new redactor numbers the placeholders in the order of the requests.
        let redactor = Redactor(redaction, environment: engine.environment.variables)
        return exchanges.map { exchange in
            redactor.redact(Stub(request: exchange.request, response: .status(200))).request
        }
    }
}

extension StubRequest {
    /// The request without what differs between platforms and runs: the header fields that the platform or the
    /// transport sets, and the boundary of a multipart body.
    package var withoutVolatileParts: StubRequest {
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

    /// Returns the differences of two JSON bodies, one line each: `body.user.name: expected "Ada", was "Eve"`; `nil`
    /// when one of them is not JSON.
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

extension RecordMode {
    /// Returns the record mode of a process that a test starts; `nil` where the process's own code decides.
    ///
    /// The rules are those for the test's own networks: `STUB_RECORD_MODE` overrides the mode that the test's code names,
    /// and that mode does not record where `CI` is set.
    ///
    /// - Parameters:
    ///   - requested: the mode that the test's code names; `nil` if it names none.
    ///   - environment: the variables of the test's process.
    /// - Returns: the mode.
    /// - Throws: `StubbornNetworkError` for a `STUB_RECORD_MODE` that is not a record mode.
    package static func inForce(
        requested: RecordMode?,
        environment: [String: String]
    ) throws(StubbornNetworkError) -> RecordMode? {
        let settings = EnvironmentSettings(environment)
        do throws(InvalidSetting) {
            if let mode = try settings.recordMode() { return mode }
            guard let requested else { return nil }
            let mode = try settings.modeInForce(requested: requested)
            if mode != requested { ContinuousIntegrationWarning.giveOnce(requested) }
            return mode
        } catch {
            throw StubbornNetworkError(error)
        }
    }
}

extension StubbornNetworkConfiguration {
    /// Returns the file name for a test's name, without extension; `nil` when nothing is left of it.
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
