import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork
@testable import StubbornNetworkTooling

struct InflationTests {
    private func inflated(_ data: Data, limit: Int = 64 << 20) -> String? {
        data.withBytes { Inflation.inflate($0, limit: limit) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: GzipFixtures.all)
    func `what the gzip program compressed is read, with its frame and without`(fixture: GzipFixtures.Fixture) {
        #expect(inflated(fixture.gzip) == fixture.text)
        #expect(inflated(fixture.deflate) == fixture.text)
    }

    @Test(arguments: UInt8(0)..<32)
    func `gzip is read whatever its header has: a checksum, an extra field, a name, a comment`(flags: UInt8) {
        #expect(inflated(GzipFixtures.users.gzip(flags: flags)) == GzipFixtures.users.text)
    }

    @Test func `text that a server sent as gzip or deflate is read`() async throws {
        let server = try LoopbackServer()
        for path in ["/gzip", "/deflate"] {
            let client = try RawClient(port: server.port)
            try client.send("GET", path)
            #expect(inflated(try client.response().body) == LoopbackServer.compressedText)
        }
    }

    @Test func `a text that is cut off anywhere is not read`() {
        let gzip = GzipFixtures.users.gzip
        for count in 0..<gzip.count - 8 { #expect(inflated(gzip.prefix(count)) == nil, "\(count) bytes") }
    }

    @Test func `no more than the limit is read`() {
        let count = GzipFixtures.long.text.utf8.count
        #expect(inflated(GzipFixtures.long.gzip, limit: count)?.utf8.count == count)
        #expect(inflated(GzipFixtures.long.gzip, limit: count - 1) == nil)
    }

    @Test func `changed bytes do not trap`() {
        var generator = Generator(seed: 12)
        for _ in 0..<1_000 {
            var gzip = GzipFixtures.users.gzip
            let index = Int.random(in: 3..<gzip.count, using: &generator)
            gzip[index] = UInt8.random(in: 0...255, using: &generator)
            _ = inflated(gzip, limit: 1 << 16)
        }
    }
}
