import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Writes stubs as an HTTP Archive.
struct HARExport {
    /// The information that the archive cannot contain.
    private(set) var notes = Notes()

    /// Returns an archive with stubs.
    ///
    /// A stub file does not have the times of requests. An exchange begins at its response's `Date`, or a millisecond
    /// after the one before it.
    mutating func archive(of stubs: [Stub]) throws -> Data {
        var start = 0.0
        var entries: [HAR.Entry] = []
        for stub in stubs {
            let recorded = stub.response.head?.headerFields["Date"].flatMap { headerDate.date(from: $0) }
            let date = recorded?.timeIntervalSince1970 ?? start
            start = max(date, start + 0.001)
            entries.append(try entry(stub, start: start))
        }
        return Data(try JSONOutput.text(of: HAR(log: HAR.Log(entries: entries))).utf8)
    }

    // Creating a formatter is slow.
    private let date = HARDate()
    private let headerDate = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return formatter
    }()

    private mutating func entry(_ stub: Stub, start: Double) throws -> HAR.Entry {
        var entry = HAR.Entry()
        let timing = stub.response.timing
        let wait = (timing?.secondsToFirstByte ?? 0) * 1000
        let receive = (timing?.chunks.last?.seconds ?? 0) * 1000
        if timing?.chunks.count ?? 0 > 1 {
            notes.add("with times of parts; only the last one is kept")
        }
        entry.startedDateTime = date.text(start)
        entry.time = wait + receive
        entry.timings = HAR.Timings(blocked: -1, dns: -1, connect: -1, send: 0, wait: wait, receive: receive)
        entry.request = request(stub.request)
        entry.response = try response(stub)
        if let frames = stub.response.webSocketFrames {
            entry.response?.content = HAR.Content(size: 0, mimeType: "x-unknown")
            entry._webSocketMessages = frames.compactMap { message($0, start: start) }
        }
        if let failure = stub.response.failure {
            entry._error = "\(failure.domain) \(failure.code)"
            entry._stubbornError = HAR.Failure(failure)
            notes.add("with an error, which only this command reads again (_stubbornError)")
        }
        return entry
    }

    private mutating func message(_ frame: WebSocketFrame, start: Double) -> HAR.Message? {
        let type = frame.isSent ? "send" : "receive"
        let time = start + (frame.seconds ?? 0)
        switch frame.kind {
        case .text: return HAR.Message(type: type, time: time, opcode: 1, data: frame.text)
        case .data: return HAR.Message(type: type, time: time, opcode: 2, data: frame.data.base64EncodedString())
        case .close:
            notes.add("of a WebSocket without its close")
            return nil
        }
    }

    private mutating func request(_ request: StubRequest) -> HAR.Request {
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        var result = HAR.Request(
            method: request.method,
            url: request.url.absoluteString,
            httpVersion: "HTTP/1.1",
            headers: HAR.fields(request.headerFields),
            queryString: items.map { HAR.Field(name: $0.name, value: $0.value ?? "") },
            cookies: [],
            headersSize: -1,
            bodySize: Double(request.body?.count ?? 0)
        )
        guard let body = request.body else { return result }
        let type = request.headerFields["Content-Type"]
        var data = HAR.PostData(mimeType: type ?? "application/octet-stream")
        if let text = Charset(contentType: type).text(body) {
            data.text = text
        } else {
            data.text = body.base64EncodedString()
            data.ownEncoding = "base64"
            notes.add("with a request body that is not text, in base64 (_encoding)")
        }
        result.postData = data
        return result
    }

    private func response(_ stub: Stub) throws -> HAR.Response {
        let head = stub.response.head
        let body = stub.response.body
        let type = head?.headerFields["Content-Type"]
        var content = HAR.Content(size: Double(body?.count ?? 0), mimeType: type ?? "")
        if let body {
            content.text = Charset(contentType: type).text(body)
            if content.text == nil {
                content.text = body.base64EncodedString()
                content.encoding = "base64"
            }
        }
        let status = head?.statusCode ?? 0
        return HAR.Response(
            status: Double(status),
            statusText: status == 0
                ? "" : status == 200 ? "OK" : HTTPURLResponse.localizedString(forStatusCode: status).capitalized,
            httpVersion: "HTTP/1.1",
            headers: HAR.fields(head?.headerFields ?? [:]),
            cookies: [],
            content: content,
            redirectURL: head?.headerFields["Location"] ?? "",
            headersSize: -1,
            bodySize: -1
        )
    }
}
