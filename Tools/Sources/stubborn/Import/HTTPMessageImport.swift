import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Reads HTTP messages, as `curl --include` writes them and OHHTTPStubs reads them.
///
///     HTTP/1.1 200 OK
///     Content-Type: application/json
///
///     {"id":42}
enum HTTPMessageImport {
    /// Returns the response of a message: the last one, if the body of a response begins with the next response.
    ///
    /// - Throws: `ToolError` for a string that is not a response.
    static func response(in message: Data, of file: String) throws -> StubResponse {
        var (head, body) = try read(message, of: file)
        // Responses before the final one: 100 Continue, a proxy's answer to CONNECT, redirects that curl has followed.
        while !body.isEmpty {
            do {
                (head, body) = try read(body, of: file)
            } catch {
                if head.statusCode < 200 { throw error }
                break
            }
        }
        let decoded = decoded(body, head.headerFields)
        return StubResponse(head: head, body: decoded.isEmpty ? nil : decoded)
    }

    private static func read(_ message: Data, of file: String) throws -> (ResponseHead, Data) {
        var rest = message[...]
        func line() -> String {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            let line = rest[rest.startIndex..<end]
            rest = rest[min(end + 1, rest.endIndex)...]
            return (String(data: line, encoding: .utf8) ?? String(data: line, encoding: .isoLatin1) ?? "")
                .trimmingCharacters(in: CharacterSet(charactersIn: "\r"))
        }
        let status = line().split(separator: " ", maxSplits: 2)
        guard status.count >= 2, status[0].hasPrefix("HTTP/"), let code = Int(status[1]), (100...999).contains(code)
        else {
            throw ToolError(
                "\(file) is not an HTTP response: it does not begin with a line such as \"HTTP/1.1 200 OK\"."
            )
        }
        var fields = HeaderFields()
        while !rest.isEmpty {
            let text = line()
            if text.isEmpty { break }
            guard let colon = text.firstIndex(of: ":") else {
                throw ToolError("\(file) has the line \"\(text)\" among its header fields: a colon is missing.")
            }
            let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            fields.append(name: String(text[..<colon]), value: value)
        }
        return (ResponseHead(statusCode: code, headers: fields), Data(rest))
    }

    /// Returns a body without its content encoding.
    private static func decoded(_ body: Data, _ fields: HeaderFields) -> Data {
        guard fields["Content-Encoding"] != nil, body.starts(with: [0x1F, 0x8B]) else { return body }
        return StubFile.inflated(body) ?? body
    }
}
