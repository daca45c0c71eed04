import Foundation
import Testing

@testable import StubbornNetwork

/// The parts in which a client of a stream gets a body.
struct StreamFormatTests {
    private func parts(_ body: String, _ type: String) -> [String]? {
        StreamFormat(type)?.parts(of: Data(body.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("data: 1\n\ndata: 2\n\n", ["data: 1\n\n", "data: 2\n\n"]),
        ("data: 1\r\n\r\ndata: 2\r\n\r\n", ["data: 1\r\n\r\n", "data: 2\r\n\r\n"]),
        ("data: 1\r\rdata: 2\r\r", ["data: 1\r\r", "data: 2\r\r"]),
        (": hi\nevent: a\ndata: 1\n\n\ndata: 2", [": hi\nevent: a\ndata: 1\n\n", "\n", "data: 2"]),
        ("data: cut off", ["data: cut off"]),
    ])
    func `an empty line ends an event`(body: String, expected: [String]) {
        #expect(parts(body, "text/event-stream; charset=utf-8") == expected)
        #expect(parts(body, "Text/Event-Stream") == expected)
    }

    @Test(arguments: [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/jsonlines",
        "application/stream+json", "APPLICATION/JSONL",
    ])
    func `each line is a part`(type: String) {
        #expect(parts("{\"a\":1}\n\n{\"b\":2}\r\n3", type) == ["{\"a\":1}\n", "\n", "{\"b\":2}\r\n", "3"])
        #expect(parts("1\n", type) == ["1\n"])
    }

    @Test(arguments: ["multipart/mixed", "multipart/x-mixed-replace"])
    func `a part is complete when the boundary behind it has arrived`(type: String) {
        let body = "preamble\r\n--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\n"
        let expected = ["preamble\r\n--b\r\n\r\none\r\n--b\r\n", "\r\ntwo\r\n--b--\r\n"]
        #expect(parts(body, "\(type); boundary=\"b\"") == expected)
        #expect(parts(body, type) == nil)
    }

    @Test(arguments: ["application/json", "text/plain", "multipart/form-data; boundary=b", "text/event-streams", ""])
    func `any other body is read whole`(type: String) {
        #expect(StreamFormat(type) == nil)
    }

    @Test(arguments: [9_999, 10_000, 10_001, 35_000])
    func `a body has ten thousand parts at most, and loses nothing`(lineCount: Int) throws {
        let body = Data(String(repeating: "1\n", count: lineCount).utf8)
        let parts = try #require(StreamFormat("application/x-ndjson")).parts(of: body)
        #expect(parts.reduce(Data(), +) == body)
        #expect(parts.count <= StreamFormat.maximumPartCount)
        #expect(lineCount > StreamFormat.maximumPartCount || parts.count == lineCount)
    }

    @Test(arguments: [
        ("text/event-stream", "data: 1\n\ndata: 2\n\n"),
        ("text/event-stream", ": hi\r\n\r\ndata: 1\r\n\r\n\r\ndata: 2"),
        ("text/event-stream", "data: 1\r\rdata: 2\r\r"), ("application/x-ndjson", "1\n\n2\r\n3"),
        ("multipart/mixed; boundary=b", "preamble\r\n--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--"),
    ])
    func `the first parts of a body are the same, wherever the network has cut it`(type: String, text: String) throws {
        let body = Data(text.utf8)
        let parts = try #require(StreamFormat(type)).parts(of: body)
        let cuts = (1..<body.count).flatMap { first in (first..<body.count).map { (first, $0) } }
        for count in 1...parts.count + 1 {
            let beginning = parts.prefix(count).reduce(Data(), +)
            let wrong = cuts.filter { first, second in
                var countdown = PartCountdown(from: count)
                countdown.begin(type)
                var received = Data()
                var isOver = false
                for piece in [body[..<first], body[first..<second], body[second...]] where !isOver && !piece.isEmpty {
                    let end = countdown.add(piece)
                    received += piece.prefix(end ?? piece.count)
                    isOver = end != nil
                }
                return received != beginning || (isOver || countdown.end()) != (count <= parts.count)
            }
            #expect(wrong.isEmpty, "\(count) parts, cut at \(wrong)")
        }
    }
}
