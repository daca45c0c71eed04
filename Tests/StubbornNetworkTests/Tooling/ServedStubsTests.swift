import Foundation
@_spi(Tools) import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

/// Recorded stubs for a server that is not this library's.
struct ServedStubsTests {
    let directory = TemporaryDirectory()

    private func served(_ stubs: [Stub]) throws -> ServedStubs {
        let file = StubFile(stubs, at: directory.file("a.json"))
        try file.write()
        return try ServedStubs(of: StubbornNetwork(.stubFile(at: file.url), environment: [:]))
    }

    private func text(_ steps: [ServedStubs.Step]) -> [String] {
        steps.map { step in
            switch step.event {
            case .head(let head):
                ([String(head.statusCode)] + head.headerFields.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
            case .data(let data): String(decoding: data, as: UTF8.self)
            case .webSocket: "web socket"
            case .end: "end"
            case .failure(let error):
                (error as? StubbornNetworkError)?.report?.cause.rawValue ?? "\((error as NSError).code)"
            }
        }
    }

    @Test func `a response has its status, its fields and its body`() throws {
        let fields: HeaderFields = ["X-A": "1"]
        let stub = try Stub.get("http://a/b", .status(404, fields, body: "no"))
        #expect(text(try served([stub]).steps(for: stub.request)) == ["404 X-A=1", "no", "end"])
    }

    @Test func `a recorded error comes behind what was received`() throws {
        let failing = StubResponse.failing(
            domain: NSURLErrorDomain,
            code: -1_005,
            description: nil,
            head: ResponseHead(statusCode: 206),
            body: Data("half".utf8)
        )
        let stub = try Stub.get("http://a/b", failing)
        #expect(text(try served([stub]).steps(for: stub.request)) == ["206", "half", "-1005"])
    }

    @Test func `stubs of one request answer one after the other, and another request has a report`() throws {
        let stubs = try [200, 500].map { try Stub.get("http://a/b", .status($0)) }
        let served = try served(stubs)
        #expect(served.requests == stubs.map(\.request))
        #expect((0..<3).map { _ in text(served.steps(for: stubs[0].request))[0] } == ["200", "500", "500"])
        let other = try Stub.get("http://a/c", .status(200))
        #expect(text(served.steps(for: other.request)) == ["nothing for this path"])
    }
}
