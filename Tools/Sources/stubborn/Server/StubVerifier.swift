import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends recorded requests to a server again, and compares its responses with the recording.
struct StubVerifier: Sendable {
    private let base: URL?
    private let fields: [HeaderFields.Field]
    /// The host that gets the fields; `nil` for the only one of the requests.
    private let host: String?
    private let onlySafe: Bool
    private let timeout: TimeInterval

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - base: the URL of the server; `nil` to use the recorded server of each request.
    ///   - fields: header fields, written as `Name: value`; a request that was recorded with one of them is sent with its value.
    ///   - host: the host that gets the fields; `nil` for the only one of the requests.
    ///   - onlySafe: a Boolean value that indicates whether requests that may change something are left out.
    ///   - timeout: the seconds after which a server that does not answer counts as unreachable.
    /// - Throws: `ToolError` for an invalid URL or field.
    init(base: String?, fields: [String], host: String?, onlySafe: Bool, timeout: TimeInterval) throws {
        self.onlySafe = onlySafe
        self.host = host?.lowercased()
        self.timeout = timeout
        self.base = try base.map(URL.init(server:))
        self.fields = Array(try HeaderFields(options: fields))
    }

    /// Checks that the fields go to one server only, because they are usually credentials.
    ///
    /// - Parameter requests: all requests that will be sent.
    /// - Throws: `ToolError` that lists the hosts, if there are several and none is chosen.
    func checkHosts(of requests: [StubRequest]) throws {
        guard base == nil, host == nil else { return }
        let hosts = Set(
            requests.filter { !fields(for: $0.urlRequest).isEmpty }.compactMap { $0.url.host?.lowercased() }
        )
        guard hosts.count > 1 else { return }
        throw ToolError(
            "Requests to several hosts were recorded with \(fields.map(\.name).joined(separator: ", ")): "
                + "\(hosts.sorted().joined(separator: ", ")). Choose the one that gets it: --host \(hosts.sorted()[0])."
        )
    }

    /// Returns the fields of a recorded request, if its server may get them.
    private func fields(for request: URLRequest) -> [HeaderFields.Field] {
        guard base != nil || host == nil || host == request.url?.host?.lowercased() else { return [] }
        return fields.filter { request.value(forHTTPHeaderField: $0.name) != nil }
    }

    /// A request that was not sent, because it has a placeholder in place of a secret.
    struct UnsentRequest: Encodable {
        let file: String
        let request: String
        let reason: String
    }

    /// Returns the differences between a stub file and the server.
    ///
    /// - Parameters:
    ///   - path: the stub file.
    ///   - requests: its requests.
    /// - Returns: the differences, and the requests that were not sent.
    /// - Throws: `StubbornNetworkError` for a stub file that cannot be read.
    func report(on path: String, _ requests: [StubRequest]) async throws -> (VerificationReport, [UnsentRequest]) {
        let network = StubbornNetwork(.stubFile(at: URL(fileURLWithPath: path)), environment: [:])
        network.recordMode = .verifying
        // Each stub is used once, so that equal requests are compared one after the other.
        network.playbackOrder = .sequence
        network.onUnstubbedRequest = { _ in }
        try network.loadStubs()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        let session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        var unsent: [UnsentRequest] = []
        for request in requests where !onlySafe || request.isReadOnly {
            // The fields of --header replace placeholders. The request goes to the server of --base, and the recorded URL is
            // compared.
            guard let sent = StubRequest(withFields(request.urlRequest)) else { continue }
            do {
                _ = try await network.response(to: sent) { try await response(to: $0, session) }
            } catch let error as StubbornNetworkError where error.code == .placeholderInRequest {
                let reason = String("\(error)".prefix { $0 != "\n" })
                unsent.append(UnsentRequest(file: path, request: "\(request)", reason: reason))
            } catch {
                // The report contains the error.
            }
        }
        return (await network.verificationReport(), unsent)
    }

    private func response(to request: StubRequest, _ session: URLSession) async throws -> StubResponse {
        var live = atBase(request.urlRequest)
        live.timeoutInterval = timeout
        let (body, response) = try await session.data(for: live)
        let http = response as? HTTPURLResponse
        let fields = (http?.allHeaderFields ?? [:]).map { ("\($0.key)", "\($0.value)") }
        let head = ResponseHead(
            statusCode: http?.statusCode ?? 200,
            headers: HeaderFields(Dictionary(fields) { first, _ in first })
        )
        return StubResponse(head: head, body: body)
    }

    /// Returns a recorded request with the fields that its server may get.
    private func withFields(_ request: URLRequest) -> URLRequest {
        var request = request
        for field in fields(for: request) { request.setValue(field.value, forHTTPHeaderField: field.name) }
        return request
    }

    /// Returns a request to the server of `--base`.
    private func atBase(_ request: URLRequest) -> URLRequest {
        var request = request
        guard let base, let url = request.url else { return request }
        let text = base.absoluteString
        let rest = url.absoluteString.dropFirst(url.originLength)
        request.url = URL(string: (text.hasSuffix("/") ? String(text.dropLast()) : text) + rest) ?? url
        return request
    }
}

/// A delegate that follows no redirect: the next request has a separate stub.
private final class NoRedirects: NSObject, URLSessionTaskDelegate, Sendable {
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
