import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling
import Testing

func largeStubs(in file: URL) throws -> [String] {
    let file = try StubFile(contentsOf: file)
    return file.stubs.enumerated().compactMap { index, stub in
        guard let count = stub.response.body?.count, count > 100_000 else { return nil }
        return "\(file.url.path):\(file.line(ofStubAt: index) ?? 1): \(stub.request) has \(count) bytes"
    }
}

struct ToolingPage {
    @Test func `a check of one's own finds large stubs, with the line that each begins in`() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tooling-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let url = directory.appendingPathComponent("Films.json")
        let stubs = [100_000, 100_001].map { count in
            Stub(
                request: StubRequest(url: URL(string: "https://api.example.com/\(count)")!),
                response: StubResponse(head: ResponseHead(statusCode: 200), body: Data(count: count))
            )
        }
        let file = StubFile(stubs, at: url)
        try file.write()
        let line = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n").lastIndex(of: "  {") ?? -1
        let expected = "\(url.path):\(line + 1): GET https://api.example.com/100001 has 100001 bytes"
        #expect(try largeStubs(in: url) == [expected])
        // The file is there now, and was not when `file` was created.
        #expect(try !file.writeIfUnchanged())
    }
}
