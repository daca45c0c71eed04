import Foundation
import Testing

@testable import StubbornNetwork

struct StubFileRoundTripTests {
    private static let stubs: [Stub] = {
        var generator = Generator(seed: 42)
        return (0..<400).compactMap { _ in try? GeneratedStubs.stub(&generator) }
    }()

    private func document(_ bodyEncoding: BodyEncoding) -> StubFileDocument {
        StubFileDocument(entries: Self.stubs.map { .init(rendering: $0, bodyEncoding: bodyEncoding) })
    }

    @Test func `stubs that are written with base64 are read back`() throws {
        let read = try StubFileDocument(document(.base64).data)
        #expect(read.entries.count == 400)
        for (entry, stub) in zip(read.entries, Self.stubs) {
            #expect(entry.stub == stub)
        }
    }

    @Test func `readable stubs are read back, their JSON without white space`() throws {
        let read = try StubFileDocument(document(.readable).data)
        #expect(read.entries.count == 400)
        for (entry, stub) in zip(read.entries, Self.stubs) {
            // A request's body that is compared byte by byte keeps its white space.
            let body = entry.stub.request.body
            #expect(body == stub.request.body || body == stub.request.body.map(compacted))
            #expect(ComparedRequest(bodyOf: entry.stub.request) == ComparedRequest(bodyOf: stub.request))
            var expected = stub
            expected.request.body = body
            expected.response.bytes = expected.response.bytes.map(compacted)
            #expect(entry.stub == expected)
        }
    }

    @Test(arguments: [BodyEncoding.base64, .readable])
    func `writing twice gives the same bytes, which are JSON`(bodyEncoding: BodyEncoding) throws {
        let written = document(bodyEncoding).data
        #expect(document(bodyEncoding).data == written)
        let read = try StubFileDocument(written)
        #expect(read.data == written)
        let again = StubFileDocument(
            entries: read.entries.map { .init(rendering: $0.stub, bodyEncoding: bodyEncoding) }
        )
        #expect(again.data == written)
        let isJSON = (try? JSONSerialization.jsonObject(with: document(.base64).data)) is [[String: Any]]
        #expect(isJSON)
    }

    @Test func `values outside the file format are written so that they can be read`() throws {
        var response = StubResponse.status(1_000_000)
        response.pace = Pace(secondsToFirstByte: -.infinity, chunks: [Pace.Chunk(seconds: .nan, length: -5)])
        let entry = StubFileEntry(rendering: try .get("http://a", response), bodyEncoding: .base64)
        let read = try StubFileDocument(StubFileDocument(entries: [entry]).data).entries.map(\.stub.response)
        #expect(read.map(\.head?.statusCode) == [999])
        #expect(read.map(\.pace) == [Pace(chunks: [Pace.Chunk(seconds: 0, length: 0)])])
    }

    private func compacted(_ body: Data) -> Data {
        // Foundation refuses a number that is too large for it, and takes a comma too many.
        let text = String(decoding: body, as: UTF8.self).replacingOccurrences(of: "1e999", with: "1e9")
        let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: [.fragmentsAllowed])
        guard value != nil, !text.contains("[1,]") else { return body }
        var (compact, isInString, isEscaped) = (Data(), false, false)
        for byte in body where isInString || ![0x20, 0x09, 0x0A, 0x0D].contains(byte) {
            compact.append(byte)
            if byte == 0x22, !isEscaped { isInString.toggle() }
            isEscaped = byte == 0x5C && !isEscaped
        }
        return compact
    }
}
