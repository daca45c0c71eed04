import FlyingFox
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passes HTTP requests on to a server through a network that records.
struct RecordingProxy: Sendable {
    let upstream: URL
    private let prefix: String
    private let exchanges = UpstreamExchanges()
    private let session: URLSession
    private let network: StubbornNetwork
    private let isQuiet: Bool
    /// The hosts that a request may name.
    private let hosts: Set<String>

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - upstream: the URL of the server. Its path precedes the path of each request.
    ///   - network: the network that records.
    ///   - hosts: names of this server, in addition to the names of the loopback interface.
    ///   - isQuiet: a Boolean value that indicates whether requests are not listed on standard error.
    init(to upstream: URL, through network: StubbornNetwork, hosts: [String], isQuiet: Bool) {
        self.upstream = upstream
        self.network = network
        self.hosts = Set(
            hosts + ["127.0.0.1", "localhost", "[::1]", Origin(upstream)?.host ?? ""].map { $0.lowercased() }
        )
        self.isQuiet = isQuiet
        let text = upstream.absoluteString
        prefix = text.hasSuffix("/") ? String(text.dropLast()) : text
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        session = network.makeSession(configuration: configuration, delegate: exchanges)
    }

    /// A Boolean value that indicates whether an exchange with the server is running.
    var isBusy: Bool { exchanges.isBusy }

    func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        let target = RequestTarget(request)
        guard request.method.rawValue != "CONNECT", let url = URL(asWritten: prefix + target.path) else {
            let name = "\(request.method.rawValue) \(target.pathWithoutQuery)"
            return .text("\(name) cannot be forwarded: request http:// URLs of this server.", status: 400)
        }
        let host = target.hostWithoutPort
        let name = { network.shownForm(of: StubRequest(method: request.method.rawValue, url: url)).pathName }
        guard hosts.contains(host) || host.hasSuffix(".localhost") else {
            Output.say("\(name()): refused, because its Host is \(target.host.printableLine)")
            return .text(
                "This server is for \(upstream.host ?? "") and not for \(host). To let clients use this name, start it with "
                    + "--host \(host.shellQuoted).",
                status: 421
            )
        }
        var forwarded = URLRequest(url: url)
        forwarded.httpMethod = request.method.rawValue
        for field in ForwardedFields.ofRequest(request.headers) where field.name.lowercased() != "accept-encoding" {
            // Some servers compare these with their own address.
            let isOwnAddress = ["origin", "referer"].contains(field.name.lowercased())
            let value =
                isOwnAddress ? field.value.replacingOccurrences(of: "http://\(target.host)", with: prefix) : field.value
            forwarded.addValue(value, forHTTPHeaderField: field.name)
        }
        if request.isWebSocket {
            return try await openWebSocket(request, forwarded, name: name())
        }
        let body = try await request.bodyData
        if !body.isEmpty { forwarded.httpBody = body }
        do {
            let (response, parts) = try await exchanges.send(forwarded, in: session)
            if !isQuiet { Output.say("\(name()): \(response.statusCode)") }
            return try await self.response(response, parts, to: request, target: target)
        } catch {
            Output.say("\(name()): \(message(error))")
            return .text("\(prefix + target.path) does not answer: \(message(error))", status: 502)
        }
    }

    /// Connects a client's web socket to the server.
    private func openWebSocket(_ request: HTTPRequest, _ forwarded: URLRequest, name: String) async throws
        -> HTTPResponse
    {
        var upstream = forwarded
        upstream.url = URL(asWritten: "ws" + (forwarded.url?.absoluteString.dropFirst(4) ?? ""))
        // The client of the server has its own.
        for name in ["Key", "Version", "Extensions"] {
            upstream.setValue(nil, forHTTPHeaderField: "Sec-WebSocket-" + name)
        }
        let socket = network.webSocket(with: upstream, from: Self.connect)
        do {
            try await socket.waitUntilOpen()
        } catch {
            Output.say("\(name): \(message(error))")
            let isMissing = (error as? StubbornNetworkError)?.code == .unsupportedRequest
            return .text("The WebSocket cannot be opened: \(message(error))", status: isMissing ? 501 : 502)
        }
        if !isQuiet { Output.say("\(name): 101") }
        return try await WebSocketRelay.response(to: request, socket)
    }

    #if canImport(FoundationNetworking)
        private static let connect: @Sendable (URLRequest) async throws -> any WebSocketConnection = { request in
            if let socket = try await PlainWebSocket(request) { return socket }
            let task = URLSession.shared.webSocketTask(with: request)
            task.resume()
            return task
        }
    #else
        private static let connect: (@Sendable (URLRequest) async throws -> any WebSocketConnection)? = nil
    #endif

    private func message(_ error: any Error) -> String {
        if let error = error as? StubbornNetworkError { return error.description }
        guard error.localizedDescription.lowercased().contains("certificate") else { return error.localizedDescription }
        // Foundation takes no certificates from a program on Linux.
        return
            "\(error.localizedDescription). If an authority of your own has signed the certificate, add the authority to "
            + "those that this machine trusts (Debian: /usr/local/share/ca-certificates and update-ca-certificates)."
    }

    private func response(
        _ response: HTTPURLResponse,
        _ parts: AsyncThrowingStream<Data, any Error>,
        to request: HTTPRequest,
        target: RequestTarget
    ) async throws -> HTTPResponse {
        var fields = HeaderFields()
        for case (let name as String, let value as String) in response.allHeaderFields {
            fields.append(name: name, value: value)
        }
        let origin = Origin(upstream)
        let headers = ForwardedFields.ofResponse(fields) { location in
            guard Origin(location) == origin, let origin else { return nil }
            var path = location.absoluteString.dropFirst(location.originLength)
            // The path of the upstream URL is added to each request.
            let base = prefix.dropFirst(upstream.originLength)
            if path.hasPrefix(base) { path = path.dropFirst(base.count) }
            return target.origin(for: origin) + path
        }
        var result = HTTPResponse(statusCode: HTTPStatusCode(code: response.statusCode), headers: headers)
        let length = fields["Content-Encoding"] == nil ? fields["Content-Length"].flatMap { Int($0) } : nil
        if request.method == .HEAD || response.statusCode == 204 || response.statusCode == 304 {
            // The end of the body is the end of the exchange.
            for try await _ in parts {}
            result.headers[.contentLength] = fields["Content-Length"]
        } else if request.version == .http11 {
            let parts = length.map { Self.holdingEnd(of: parts, at: $0) } ?? parts
            result.payload = .httpBody(HTTPBodySequence(parts, length: length))
        } else {
            // HTTP/1.0 has no chunks.
            var body = Data()
            for try await part in parts { body.append(part) }
            result.payload = .httpBody(HTTPBodySequence(data: body))
        }
        return result
    }
}

extension RecordingProxy {
    /// Returns a body whose end comes when the exchange has ended and is stored.
    ///
    /// Otherwise, a client that counts the bytes would see the end earlier, and a crash could lose an exchange that the
    /// client has seen.
    private static func holdingEnd(
        of parts: AsyncThrowingStream<Data, any Error>,
        at length: Int
    ) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                var count = 0
                var end = Data()
                do {
                    for try await part in parts {
                        count += part.count
                        if count < length { continuation.yield(part) } else { end.append(part) }
                    }
                    continuation.yield(end)
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// The exchanges with the upstream server that are running.
private final class UpstreamExchanges: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange {
        var head: CheckedContinuation<HTTPURLResponse, any Error>?
        let parts: AsyncThrowingStream<Data, any Error>.Continuation
    }

    private let running = Locked<[Int: Exchange]>([:])

    var isBusy: Bool { running.withLock { !$0.isEmpty } }

    /// Sends a request, and returns the head of the response when it has arrived.
    func send(
        _ request: URLRequest,
        in session: URLSession
    ) async throws -> (HTTPURLResponse, AsyncThrowingStream<Data, any Error>) {
        let task = session.dataTask(with: request)
        let (stream, parts) = AsyncThrowingStream.makeStream(of: Data.self)
        parts.onTermination = { reason in
            if case .cancelled = reason { task.cancel() }
        }
        let response = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { head in
                running.withLock { $0[task.taskIdentifier] = Exchange(head: head, parts: parts) }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
        return (response, stream)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let head = running.withLock { running in
            defer { running[dataTask.taskIdentifier]?.head = nil }
            return running[dataTask.taskIdentifier]?.head
        }
        if let response = response as? HTTPURLResponse {
            head?.resume(returning: response)
        } else {
            head?.resume(throwing: URLError(.badServerResponse))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let parts = running.withLock { $0[dataTask.taskIdentifier]?.parts }
        parts?.yield(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.head?.resume(throwing: error ?? URLError(.badServerResponse))
        exchange?.parts.finish(throwing: error)
    }

    /// Leaves redirects to the client.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
