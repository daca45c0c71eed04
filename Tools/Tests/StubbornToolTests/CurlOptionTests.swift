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

    // `--next` divides two requests.
    @Test(arguments: CurlOption.otherFlags.subtracting(["-:", "--next"]).sorted())
    func `an option without a value changes nothing`(option: String) throws {
        #expect(try request(option) == request(""))
    }
}
