import FlyingFox
import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Answers HTTP requests with recorded stubs.
struct StubServer: Sendable {
    let recordings: ServedRecordings
    let matching: PlaybackOptions.Matching
    let logsRequests: Bool

    /// The time for which a connection stays open when a stub has no end: one that timed out, or was cancelled.
    private static let patience: Duration = .seconds(60)

    func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        let target = RequestTarget(request)
        if request.method.rawValue == "CONNECT" {
            return .text("This server speaks plain HTTP: use http:// instead of https://.", status: 501)
        }
        let body = try await request.bodyData
        let fields = ForwardedFields.ofRequest(request.headers)
        func recorded(_ url: URL) -> StubRequest {
            StubRequest(
                method: request.method.rawValue,
                url: url,
                headers: fields,
                body: body.isEmpty ? nil : body
            )
        }
        func name(_ url: URL?) -> String { url.map { recordings.shown(recorded($0)).pathName } ?? "" }
        let answer = recordings.answer(target, isWebSocket: request.isWebSocket, request: recorded)
        switch answer {
        case .invalidURL:
            return .text("\(target.path) is not the path of a URL.", status: 400)
        case .unstubbed(let error, let file, let tried):
            Output.say("\(name(tried.first)): no stub answers")
            let report = report(error, file: file, tried: tried) { origin in
                "stubborn record --upstream \(origin) --to \(file.relativePath.shellQuoted) --add"
            }
            var response = HTTPResponse.text(report, status: 404)
            response.headers[HTTPHeader("X-Stubborn")] = "unmatched"
            return response
        case .steps(let steps, let origin):
            if logsRequests {
                let url = URL(asWritten: origin.description + target.path)
                Output.say("\(name(url)): answered by a stub of \(origin)")
            }
            return try await play(steps, to: request, target: target)
        }
    }

    /// Returns the diagnosis without the advice for Swift code, but with advice for users of the command.
    func report(
        _ error: StubbornNetworkError,
        file: URL,
        tried: [URL],
        recordingBy command: (Origin) -> String
    ) -> String {
        let text = (error.report?.description ?? error.description)
            .replacingOccurrences(of: " The network was not touched.", with: "")
        var lines = text.lines.filter { !$0.hasPrefix("Matched by ") }
        if tried.count > 1 { lines.append("Tried: " + tried.map(\.absoluteString).joined(separator: ", ")) }
        if error.report?.nearest != nil, matching != .lenient {
            lines.append("To compare the method, host and path only, start the server with: --matching lenient")
        }
        if let origin = tried.first.flatMap({ Origin($0) }) {
            lines.append("To record it with this command: \(command(origin))")
        }
        return lines.joined(separator: "\n")
    }

    private func play(
        _ steps: [ServedStubs.Step],
        to request: HTTPRequest,
        target: RequestTarget
    ) async throws -> HTTPResponse {
        guard let first = steps.first else { return .closedConnection }
        if case .webSocket(let socket) = first.event { return try await WebSocketRelay.response(to: request, socket) }
        guard case .head(let head) = first.event else {
            if case .failure(let error) = first.event {
                return try await fail(with: error, after: first.seconds)
            }
            return .closedConnection
        }
        if let reason = head.unsendableReason { return .text(reason, status: 502) }
        if first.seconds > 0 { try await Task.sleep(for: .seconds(first.seconds)) }
        let headers = ForwardedFields.ofResponse(head.headerFields) { location in
            guard let other = Origin(location), recordings.origins.contains(other) else { return nil }
            return target.origin(for: other) + location.absoluteString.dropFirst(location.originLength)
        }
        var response = HTTPResponse(statusCode: HTTPStatusCode(code: head.statusCode), headers: headers)
        let isBodiless = request.method == .HEAD || head.statusCode == 204 || head.statusCode == 304
        if isBodiless {
            response.headers[.contentLength] = head.headerFields["Content-Length"]
            return response
        }
        response.payload = .httpBody(body(of: steps.dropFirst(), recordedLength: head.headerFields["Content-Length"]))
        return response
    }

    private func body(of steps: ArraySlice<ServedStubs.Step>, recordedLength: String?) -> HTTPBodySequence {
        var length = 0
        var isWhole = false
        for step in steps {
            switch step.event {
            case .data(let data): length += data.count
            case .end: isWhole = true
            case .head, .failure, .webSocket: break
            }
        }
        if isWhole, steps.allSatisfy({ $0.seconds <= 0 }) {
            var body = Data()
            for case .data(let data) in steps.lazy.map(\.event) { body.append(data) }
            return HTTPBodySequence(data: body, suggestedBufferSize: HTTPBodySequence.partByteCount)
        }
        // A response that ended early had a longer body than this one, or an unknown one.
        let whole = recordedLength.flatMap { Int($0) }.flatMap { $0 > length ? $0 : nil }
        return HTTPBodySequence(parts(of: steps), length: isWhole ? length : whole)
    }

    /// Returns the parts of a body, each at its time.
    func parts(of steps: ArraySlice<ServedStubs.Step>) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    for step in steps {
                        if step.seconds > 0 { try await Task.sleep(for: .seconds(step.seconds)) }
                        switch step.event {
                        case .data(let data): continuation.yield(data)
                        case .failure(let error):
                            try await wait(for: error)
                            throw error
                        case .head, .end, .webSocket: break
                        }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Fails a request as its stub did.
    ///
    /// HTTP has no message for an error of the transport: the connection ends without a response.
    private func fail(with error: any Error, after seconds: Double) async throws -> HTTPResponse {
        if seconds > 0 { try await Task.sleep(for: .seconds(seconds)) }
        if let error = error as? StubbornNetworkError, error.report == nil {
            return .text(error.description, status: 500)
        }
        try await wait(for: error)
        return .closedConnection
    }

    func wait(for error: any Error) async throws {
        if (error as? URLError)?.code == .timedOut { try await Task.sleep(for: Self.patience) }
    }
}

extension URL {
    /// The number of characters of scheme, host and port, as they are written.
    var originLength: Int {
        let text = absoluteString
        guard let start = text.range(of: "://")?.upperBound else { return 0 }
        return text.distance(
            from: text.startIndex,
            to: text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        )
    }
}

extension String {
    /// The text in quotation marks of a shell, in which every character stands for itself.
    var inShellQuotes: String { "'" + replacingOccurrences(of: "'", with: "'\\''") + "'" }

    /// The text as one word of a shell.
    var shellQuoted: String {
        let isPlain = !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:@%+=,".contains($0)) }
        return isPlain ? self : inShellQuotes
    }
}
