import Foundation
import Testing

@testable import stubborn

/// The options of curl that say nothing about the request; the cases are the tables themselves.
struct CurlOptionTests {
    private func request(_ options: String) throws -> String {
        let text = "curl \(options) https://a.example/x -H 'A: 1'"
        let read = try CurlImport(directory: URL(fileURLWithPath: "/")).requests(in: text, of: "commands.txt")
        #expect(read.failures == [])
        return read.requests.map { "\($0) \($0.headerFields)" }.joined(separator: "\n")
    }

    @Test(arguments: CurlOption.otherWithValue.sorted())
    func `an option with a value changes nothing, and its value is not a URL`(option: String) throws {
        #expect(try request("\(option) https://b.example/") == request(""))
    }

    @Test(arguments: CurlOption.otherFlags.sorted())
    func `an option without a value changes nothing`(option: String) throws {
        #expect(try request(option) == request(""))
    }

    @Test(arguments: ["--next", "-:"])
    func `the options of a request do not hold for the next one`(separator: String) throws {
        let text = "curl https://a.example/1 -d x=1 -H 'A: 1' \(separator) https://a.example/2 -H 'B: 2'"
        let read = try CurlImport(directory: URL(fileURLWithPath: "/")).requests(in: text, of: "commands.txt")
        #expect(read.requests.map(\.description) == ["POST https://a.example/1", "GET https://a.example/2"])
        #expect(read.requests.map(\.headerFields["A"]) == ["1", nil])
        #expect(read.requests.map(\.headerFields["B"]) == [nil, "2"])
        #expect(read.requests.map(\.body) == [Data("x=1".utf8), nil])
    }
}
