import Foundation

/// Reads the parts of HTTP/1.1 messages (RFC 9112) from a socket.
struct MessageReader {
    /// The start line and the header fields of a message.
    struct Head {
        let startLine: String
        let fields: [(name: String, value: String)]

        /// The members of a comma-separated list, over all fields of that name, in lower case.
        func tokens(_ name: String) -> [String] {
            fields.filter { $0.name.lowercased() == name.lowercased() }
                .flatMap { $0.value.split(separator: ",") }
                .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        }
    }

    /// A message that is not read further, and the status that says so.
    struct Refusal: Error {
        let status: Int
        let reason: String
    }

    /// The largest body that is read, in bytes.
    static let largestBody = 200 * 1024 * 1024

    private static let largestHead = 64 * 1024
    private let socket: Socket
    private var buffer = Data()

    private let slowEnd: Date

    init(socket: Socket, slowSeconds: TimeInterval = 0) {
        self.socket = socket
        slowEnd = Date(timeIntervalSinceNow: slowSeconds)
    }

    /// The next head; nil if the stream ends before it begins.
    mutating func head() throws -> Head? {
        while buffer.isEmpty {
            buffer = try socket.receive()
            if buffer.isEmpty { return nil }
        }
        var room = Self.largestHead
        let startLine = try line(room: &room)
        return Head(startLine: startLine, fields: try fields(room: &room))
    }

    /// The body that the head announces, by its length or in chunks; empty if it announces none.
    mutating func body(after head: Head) throws -> Data {
        let codings = head.tokens("Transfer-Encoding")
        if codings == ["chunked"] { return try chunkedBody() }
        let lengths = Set(head.tokens("Content-Length"))
        guard codings.isEmpty, lengths.count <= 1 else {
            throw Refusal(status: 400, reason: "the length of the body is not clear")
        }
        guard let text = lengths.first else { return Data() }
        return try bytes(count: try length(text, radix: 10), alreadyRead: 0)
    }

    /// All bytes until the stream ends.
    mutating func rest() throws -> Data {
        var data = take(buffer.count)
        while true {
            let more = try socket.receive()
            if more.isEmpty { return data }
            data.append(more)
        }
    }

    /// All bytes up to and with `marker`, or up to the end of the stream.
    mutating func bytes(through marker: String) throws -> Data {
        while true {
            if let range = buffer.range(of: Data(marker.utf8)) {
                return take(range.upperBound - buffer.startIndex)
            }
            let more = try socket.receive()
            if more.isEmpty { return take(buffer.count) }
            buffer.append(more)
        }
    }

    private mutating func chunkedBody() throws -> Data {
        var body = Data()
        while true {
            var room = 1024
            let size = try line(room: &room).prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
            let count = try length(size, radix: 16)
            if count == 0 { break }
            body.append(try bytes(count: count, alreadyRead: body.count))
            guard try line(room: &room).isEmpty else {
                throw Refusal(status: 400, reason: "a chunk is longer than its size")
            }
        }
        var room = Self.largestHead
        _ = try fields(room: &room)
        return body
    }

    private mutating func fields(room: inout Int) throws -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        while true {
            let line = try line(room: &room)
            if line.isEmpty { return fields }
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
                throw Refusal(status: 400, reason: "not a header field: \(line)")
            }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            fields.append((String(line[..<colon]), value))
        }
    }

    private func length(_ text: String, radix: Int) throws -> Int {
        guard !text.isEmpty, text.allSatisfy(\.isHexDigit), let length = Int(text, radix: radix) else {
            throw Refusal(status: 400, reason: "not a length: \(text)")
        }
        return length
    }

    /// The next line without its end, which may be CRLF or LF; `room` is what is left of the allowed bytes.
    private mutating func line(room: inout Int) throws -> String {
        var searched = 0
        while true {
            if let end = buffer.dropFirst(searched).firstIndex(of: 0x0A) {
                let count = end - buffer.startIndex + 1
                room -= count
                guard room >= 0 else { throw Refusal(status: 431, reason: "the head is too large") }
                var line = take(count).dropLast()
                if line.last == 0x0D { line = line.dropLast() }
                return String(data: line, encoding: .utf8) ?? String(data: line, encoding: .isoLatin1) ?? ""
            }
            searched = buffer.count
            guard searched <= room else { throw Refusal(status: 431, reason: "the head is too large") }
            buffer.append(try more())
        }
    }

    private mutating func bytes(count: Int, alreadyRead: Int) throws -> Data {
        guard count <= Self.largestBody - alreadyRead else {
            throw Refusal(status: 413, reason: "the body is larger than \(Self.largestBody) bytes")
        }
        var data = take(min(count, buffer.count))
        while data.count < count {
            let more = try more()
            let missing = count - data.count
            data.append(more.prefix(missing))
            buffer = Data(more.dropFirst(missing))
        }
        return data
    }

    private mutating func more() throws -> Data {
        if Date() < slowEnd { Thread.sleep(forTimeInterval: 0.03) }
        let data = try socket.receive()
        guard !data.isEmpty else { throw Refusal(status: 400, reason: "the message is not complete") }
        return data
    }

    private mutating func take(_ count: Int) -> Data {
        let taken = Data(buffer.prefix(count))
        buffer = Data(buffer.dropFirst(count))
        return taken
    }
}
