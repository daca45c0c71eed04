import Foundation
import Testing

@testable import StubbornNetwork

/// A large body stays in the file until it is played, and is written piece by piece.
struct LargeBodyTests {
    private let directory = TemporaryDirectory()

    private func stub(_ body: Data) throws -> Stub {
        Stub(request: StubRequest(url: try URL.parsed("http://api.test/large")), response: .data(body))
    }

    @Test(arguments: [65_535, 65_536, 100_000, 1_048_576, 3_145_727, 3_145_728, 3_145_729, 9_000_001])
    func `what is written piece by piece is what is read`(count: Int) throws {
        var generator = Generator(seed: UInt64(count))
        var body = Data(count: count)
        for index in stride(from: 0, to: count, by: 7) { body[index] = UInt8.random(in: 0...255, using: &generator) }
        let store = StubFileStore(file: directory.file("large.json"))
        let entries = try (0..<2).map { _ in
            StubFileDocument.Entry(rendering: try stub(body), bodyEncoding: .base64)
        }
        try store.write(StubFileDocument(entries: entries).forEachChunk)

        let text = try #require(try store.text())
        let document = try StubFileDocument(parsing: text)
        #expect(document.entries.map(\.stub.response.body) == [body, body])
        #expect(document.entries.map(\.source) == entries.map(\.source))
        #expect(document.rendered() == text.data)
        let decoded = try JSONSerialization.jsonObject(with: text.data) as? [[String: Any]]
        #expect(decoded?.first?["data"] as? String == body.base64EncodedString())
    }

    @Test func `a large body that is no base64 fails its own request, naming line and column`() throws {
        let good = try stub(Data(repeating: 1, count: 90_000))
        var file = String(
            decoding: StubFileDocument(entries: [.init(rendering: good, bodyEncoding: .base64)]).rendered(),
            as: UTF8.self
        )
        file.replaceSubrange(file.range(of: "AQEB")!, with: "A***")
        try directory.write(file, to: "large.json")
        let network = StubbornNetwork(.persistent(name: "large", path: directory.path)!, environment: [:])
        try network.loadStubs()
        let error = #expect(throws: StubbornNetworkError.self) { try network.response(to: good.request.urlRequest) }
        #expect(error?.code == .malformedStubFile)
        #expect(error?.message.contains("large.json:3:14: expected base64 text under \"data\"") == true)
    }

    @Test(arguments: ["AQEB=AQEB", "AQEBA", "AQEB\nAQEB"])
    func `base64 is as strict in windows as it is at once`(piece: String) throws {
        // The fault lies in the first window, which is not the last.
        let encoded = piece + String(repeating: "A", count: (5 << 20) - piece.utf8.count)
        let text = try StubFileText(Data(encoded.utf8), file: directory.file("large.json"))
        #expect(text.base64(in: 0..<encoded.utf8.count) == Data(base64Encoded: encoded))
    }

    @Test func `a mapped file forgets only pages of its own`() throws {
        try directory.write(String(repeating: "stub", count: 100_000), to: "mapped")
        let descriptor = try FileDescriptor.reading(directory.file("mapped").path)
        let file = try descriptor.mapped(count: 400_000)
        let other = [UInt8](repeating: 7, count: 100_000)
        other.withUnsafeBytes { file.forget($0) }
        #expect(other.allSatisfy { $0 == 7 })
        let data = file.data
        data.withUnsafeBytes { file.forget($0) }
        #expect(data == Data(String(repeating: "stub", count: 100_000).utf8))
    }
}
