import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Reads an HTTP Archive as stubs.
struct HARImport {
    /// A Boolean value that indicates whether the times of responses are kept.
    let keepsTiming: Bool
    /// The hosts to read; all if there are none.
    let hosts: [String]
    /// The directory of the archive.
    let directory: URL

    /// The entries that became no stub, or an incomplete one, by the reason.
    private(set) var notes = Notes()

    /// Returns the stubs of an archive, in the order in which the requests started.
    ///
    /// - Throws: `ToolError` for a string that is not an archive.
    mutating func stubs(in text: Data, of file: String) throws -> [Stub] {
        let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text
        let archive: HAR
        do {
            archive = try JSONDecoder().decode(HAR.self, from: text)
        } catch DecodingError.dataCorrupted(let context) {
            let cause = (context.underlyingError as NSError?)?.userInfo[NSDebugDescriptionErrorKey] as? String
            throw ToolError("\(file) is not a HAR file: it is not JSON. \(cause ?? context.debugDescription)")
        } catch {
            throw ToolError("\(file) is not a HAR file: it has no list \"entries\" in an object \"log\".")
        }
        let date = HARDate()
        let entries = archive.log.entries.enumerated().map {
            ($0.offset, date.read($0.element.startedDateTime), $0.element)
        }
        // Some programs list requests by their ends, or by page.
        let isSortable = entries.allSatisfy { $0.1 != nil }
        let sorted = isSortable ? entries.sorted { ($0.1 ?? 0, $0.0) < ($1.1 ?? 0, $1.0) } : entries
        return sorted.compactMap { stub($0.2) }
    }

    private mutating func stub(_ entry: HAR.Entry) -> Stub? {
        guard let request = entry.request, let text = request.url, let url = URL(asWritten: text),
            let scheme = url.scheme
        else {
            notes.add("without a request or URL, left out")
            return nil
        }
        guard ["http", "https", "ws", "wss"].contains(scheme.lowercased()), let origin = Origin(url) else {
            notes.add("other than HTTP, left out")
            return nil
        }
        guard hosts.isEmpty || hosts.contains(where: origin.isNamed) else { return nil }
        if entry.response?.status == 101 || entry._webSocketMessages != nil {
            return webSocket(entry, request, to: url)
        }
        guard let response = response(entry, to: request) else {
            notes.add("without a response, left out")
            return nil
        }
        let fields = headerFields(request.headers)
        let body = request.postData.flatMap { self.body($0, fields: fields) }
        let stubRequest = StubRequest(
            method: request.method ?? "GET",
            url: withoutFragment(url),
            headers: withContentType(fields, body == nil ? nil : request.postData?.mimeType),
            body: body
        )
        return Stub(request: stubRequest, response: timed(response, entry))
    }

    // MARK: WebSockets

    /// Returns the stub of a WebSocket; some programs write its URL with the scheme of its handshake.
    private mutating func webSocket(_ entry: HAR.Entry, _ request: HAR.Request, to url: URL) -> Stub? {
        guard let messages = entry._webSocketMessages else {
            notes.add("of a WebSocket without messages, left out")
            return nil
        }
        var components = URLComponents(url: withoutFragment(url), resolvingAgainstBaseURL: true)
        components?.scheme = ["https", "wss"].contains(url.scheme?.lowercased() ?? "") ? "wss" : "ws"
        let start = HARDate().read(entry.startedDateTime)
        let frames = messages.compactMap { message -> WebSocketFrame? in
            let data = Data((message.data ?? "").utf8)
            let time = message.time.flatMap { time in start.map { max(0, ((time - $0) * 1000).rounded() / 1000) } }
            let seconds = keepsTiming ? time : nil
            switch message.opcode ?? 1 {
            case 1: return WebSocketFrame(isSent: message.type == "send", .text, data, seconds: seconds)
            case 2:
                let bytes = Data(base64Encoded: data, options: .ignoreUnknownCharacters) ?? data
                return WebSocketFrame(isSent: message.type == "send", .data, bytes, seconds: seconds)
            default: return nil
            }
        }
        if frames.count < messages.count { notes.add("of a WebSocket without its pings and closes") }
        // The fields of the handshake belong to its connection.
        let fields = headerFields(request.headers).filter { field in
            let name = field.name.lowercased()
            return !["upgrade", "connection", "host"].contains(name)
                && (name == "sec-websocket-protocol" || !name.hasPrefix("sec-websocket-"))
        }
        let opening = StubRequest(method: "GET", url: components?.url ?? url, headers: HeaderFields(fields))
        var response = StubResponse.frames(frames)
        response.head?.headerFields = entry.response.flatMap { head($0) }?.headerFields ?? [:]
        return Stub(request: opening, response: response)
    }

    // MARK: Responses

    private mutating func response(_ entry: HAR.Entry, to request: HAR.Request) -> StubResponse? {
        let head = entry.response.flatMap { self.head($0) }
        let body = entry.response.flatMap { self.body($0, fields: head?.headerFields ?? [:], of: request) }
        if let failure = entry._stubbornError {
            return .failing(
                domain: failure.domain,
                code: failure.code,
                description: failure.description,
                head: head,
                body: body
            )
        }
        if let head { return StubResponse(head: head, body: body) }
        guard let name = entry.response?._error ?? entry._error, let code = Self.errorCodes[name.uppercased()] else {
            return nil
        }
        return .failing(domain: NSURLErrorDomain, code: code.rawValue, description: nil)
    }

    /// The errors of Chrome that a server or a network causes.
    private static let errorCodes: [String: URLError.Code] = [
        "NET::ERR_TIMED_OUT": .timedOut, "NET::ERR_CONNECTION_TIMED_OUT": .timedOut,
        "NET::ERR_NAME_NOT_RESOLVED": .cannotFindHost, "NET::ERR_CONNECTION_REFUSED": .cannotConnectToHost,
        "NET::ERR_ADDRESS_UNREACHABLE": .cannotConnectToHost, "NET::ERR_CONNECTION_RESET": .networkConnectionLost,
        "NET::ERR_CONNECTION_CLOSED": .networkConnectionLost, "NET::ERR_EMPTY_RESPONSE": .networkConnectionLost,
        "NET::ERR_NETWORK_CHANGED": .networkConnectionLost, "NET::ERR_INTERNET_DISCONNECTED": .notConnectedToInternet,
        "NET::ERR_TOO_MANY_REDIRECTS": .httpTooManyRedirects,
        "NET::ERR_CERT_DATE_INVALID": .serverCertificateHasBadDate,
        "NET::ERR_CERT_AUTHORITY_INVALID": .serverCertificateUntrusted,
        "NET::ERR_CERT_COMMON_NAME_INVALID": .serverCertificateUntrusted,
        "NET::ERR_SSL_PROTOCOL_ERROR": .secureConnectionFailed,
    ]

    private func head(_ response: HAR.Response) -> ResponseHead? {
        guard let status = response.status, status >= 100, status <= 999 else { return nil }
        let fields = headerFields(response.headers)
        return ResponseHead(statusCode: Int(status), headers: withContentType(fields, response.content?.mimeType))
    }

    private mutating func body(_ response: HAR.Response, fields: HeaderFields, of request: HAR.Request) -> Data? {
        guard let content = response.content else { return nil }
        guard let text = content.text else {
            // A file elsewhere does not belong to the archive.
            if let name = content._file, !name.contains("/"),
                let data = try? Data(contentsOf: directory.appendingPathComponent(name))
            {
                return data
            }
            if content.size ?? 0 > 0, request.method != "HEAD", ![204, 304].contains(response.status ?? 0) {
                notes.add("without the body of the response")
            }
            return nil
        }
        let type = fields["Content-Type"] ?? content.mimeType
        guard content.encoding?.lowercased() == "base64" else {
            return text.isEmpty ? nil : Charset(contentType: type).data(text)
        }
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            notes.add("with a body that is not base64, read as text")
            return Data(text.utf8)
        }
        // Some proxies store the body as it was sent.
        guard let encoding = fields["Content-Encoding"]?.lowercased() else { return data }
        let isInflatable = data.starts(with: [0x1F, 0x8B]) || encoding == "deflate" && data.first == 0x78
        if isInflatable, let plain = StubFile.inflated(data) { return plain }
        let isText = ["json", "text/", "javascript", "xml"].contains { type?.lowercased().contains($0) ?? false }
        if isText, ["br", "zstd"].contains(encoding), String(data: data, encoding: .utf8) == nil {
            notes.add("with a body in \(encoding), which cannot be decoded")
        }
        return data
    }

    private func timed(_ response: StubResponse, _ entry: HAR.Entry) -> StubResponse {
        guard keepsTiming, let timings = entry.timings else { return response }
        let before = [timings.blocked, timings.dns, timings.connect, timings.send, timings.wait].compactMap(\.self)
        let seconds = before.filter { $0 > 0 }.reduce(0, +) / 1000
        let receive = max(timings.receive ?? 0, 0) / 1000
        guard seconds > 0 || receive > 0 else { return response }
        let count = response.body?.count ?? 0
        let chunks: [(Double, Int)] = count > 0 ? [(receive, count)] : []
        return response.timed(secondsToFirstByte: seconds, chunks: chunks)
    }

    // MARK: Requests

    private mutating func body(_ postData: HAR.PostData, fields: HeaderFields) -> Data? {
        let type = fields["Content-Type"] ?? postData.mimeType
        if let text = postData.text, !text.isEmpty {
            if (postData.encoding ?? postData.ownEncoding)?.lowercased() == "base64",
                let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters)
            {
                return data
            }
            return Charset(contentType: type).data(text)
        }
        guard let params = postData.params, !params.isEmpty else { return nil }
        if let boundary = type.flatMap(StubFile.multipartBoundary) {
            if params.contains(where: { $0.fileName != nil && ($0.value ?? "").isEmpty }) {
                notes.add("without the file that was uploaded")
            }
            return Self.multipartBody(params, boundary: boundary)
        }
        return Data(
            params.map { "\(($0.name ?? "").formEncoded)=\(($0.value ?? "").formEncoded)" }.joined(separator: "&").utf8
        )
    }

    /// Returns the body of a form with files (RFC 7578).
    private static func multipartBody(_ parameters: [HAR.Parameter], boundary: String) -> Data {
        let parts = parameters.map { parameter in
            let file = parameter.fileName.map { "; filename=\"\($0)\"" } ?? ""
            let type = parameter.contentType.flatMap { $0.isEmpty ? nil : "\r\nContent-Type: \($0)" } ?? ""
            let head = "Content-Disposition: form-data; name=\"\(parameter.name ?? "")\"\(file)\(type)"
            return "--\(boundary)\r\n\(head)\r\n\r\n\(parameter.value ?? "")\r\n"
        }
        return Data((parts.joined() + "--\(boundary)--\r\n").utf8)
    }

    private func headerFields(_ fields: [HAR.Field]?) -> HeaderFields {
        HeaderFields(
            (fields ?? []).flatMap { field -> [HeaderFields.Field] in
                // HTTP/2 sends the method and the URL as fields.
                guard let name = field.name, !name.isEmpty, !name.hasPrefix(":") else { return [] }
                // Some programs join repeated fields by line feeds.
                return (field.value ?? "").split(separator: "\n", omittingEmptySubsequences: false).map {
                    HeaderFields.Field(name: name, value: $0.trimmingCharacters(in: .whitespaces))
                }
            }
        )
    }

    private func withContentType(_ fields: HeaderFields, _ type: String?) -> HeaderFields {
        guard let type, !type.isEmpty, type != "x-unknown", fields["Content-Type"] == nil else { return fields }
        var fields = fields
        fields["Content-Type"] = type
        return fields
    }

    private func withoutFragment(_ url: URL) -> URL {
        URL(string: String(url.absoluteString.prefix { $0 != "#" })) ?? url
    }
}

/// Reads and writes times such as `2026-11-21T10:00:00.123456+01:00` as seconds since 1970.
struct HARDate {
    // Creating a formatter is slow.
    private let formatter = ISO8601DateFormatter()
    private let writer = {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return formatter
    }()

    func read(_ text: String?) -> Double? {
        guard let text else { return nil }
        var (whole, fraction) = (text, 0.0)
        if let start = text.utf8.firstIndex(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }) {
            let digits = text[text.index(after: start)...].prefix { $0.isASCII && $0.isNumber }
            fraction = Double("0.\(digits)") ?? 0
            whole.removeSubrange(start..<digits.endIndex)
        }
        // A time zone without a colon, or none.
        guard let date = formatter.date(from: whole) ?? formatter.date(from: whole + "Z") else { return nil }
        return date.timeIntervalSince1970 + fraction
    }

    func text(_ seconds: Double) -> String { writer.string(from: Date(timeIntervalSince1970: seconds)) }
}

/// The entries that a conversion has left out, counted by the reason.
struct Notes {
    private var counts: [(reason: String, count: Int)] = []

    mutating func add(_ reason: String) {
        if let index = counts.firstIndex(where: { $0.reason == reason }) {
            counts[index].count += 1
        } else {
            counts.append((reason, 1))
        }
    }

    /// Returns the counts as lines: `3 entries without a response, left out.`.
    func lines(of one: String, _ many: String) -> [String] {
        counts.map { "\(counted($0.count, one, many)) \($0.reason)." }
    }
}
