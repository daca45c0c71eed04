import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// The lines of a run report, as a network appends them and a reader adds them up.
@Suite(.timeLimit(.minutes(5)))
struct RunReportLinesTests {
    private let directory = TemporaryDirectory()
    private var file: URL { directory.file("report.json") }

    private func network() throws -> StubbornNetwork {
        let location = try #require(StubbornNetworkConfiguration.persistent(name: "run", path: directory.path))
        let network = StubbornNetwork(location, environment: ["STUB_REPORT": file.path])
        network.onUnstubbedRequest = { _ in }
        return network
    }

    /// Writes the stub file: a stub with an empty 200 for each number from 1 to `count`.
    private func writeStubs(_ count: Int) throws {
        let stubs = (1...count).map { number in
            #"{ "request" : { "method" : "GET", "url" : "https://api.test/\#(number)" }, "response" : { "statusCode" : 200 } }"#
        }
        try directory.write("[\(stubs.joined(separator: ",\n"))]", to: "run.json")
    }

    private func ask(_ network: StubbornNetwork, _ numbers: some Sequence<Int>) throws {
        for number in numbers {
            let url = try #require(URL(string: "https://api.test/\(number)"))
            _ = try network.response(to: URLRequest(url: url))
        }
    }

    private func read() throws -> RunReport.Network { try #require(RunReport(contentsOf: file)?.networks.first) }

    @Test func `a line that was cut off costs only itself`() throws {
        try writeStubs(4)
        let network = try network()
        try ask(network, 1...3)
        #expect(try read().summary.description == "3 requests: 3 stubbed. 1 stub unused.")
        let whole = try Data(contentsOf: file)
        try whole.dropLast(1).write(to: file)
        #expect(try read().summary.description == "2 requests: 2 stubbed. 2 stubs unused.")
        try ask(network, [4, 4])
        #expect(try read().summary.description == "4 requests: 4 stubbed. 1 stub unused.")
        #expect(try read().unused == ["GET https://api.test/3"])
        withExtendedLifetime(network) {}
    }

    @Test(arguments: ["", "[]", "{ \"networks\" : [] }", "\n\n"])
    func `a file without a line of a report is not a report`(text: String) throws {
        try directory.write(text, to: "report.json")
        #expect(RunReport(contentsOf: file) == nil)
    }

    /// Each request has a line of at most 130 bytes, and each stub a position in the line of the first request.
    ///
    /// A network has at most 3,000 bytes without positions: when it begins, with the first request, and when it ends.
    @Test(arguments: [10, 1_000])
    func `the size of a report is proportional to its requests and stubs`(count: Int) throws {
        try writeStubs(count)
        do {
            let network = try network()
            try ask(network, 1...count)
        }
        let lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
        let read = try read()
        #expect(read.summary.stubbed == count)
        #expect(read.summary.unused == 0)
        let sizes = lines.map(\.count).sorted()
        #expect(sizes.count == count + 3)
        #expect(sizes.dropLast(3).allSatisfy { $0 <= 130 })
        #expect(sizes.reduce(0, +) <= count * (130 + 6) + 3 * 3_000)
    }

    @Test func `a network that has not ended lists its unused stubs among the first fifty, and counts all`() throws {
        try writeStubs(60)
        var network: StubbornNetwork? = try network()
        try ask(#require(network), 1...20)
        #expect(try read().unused == (21...51).map { "GET https://api.test/\($0)" })
        #expect(try read().summary.unused == 40)
        network = nil
        #expect(try read().unused == (21...60).map { "GET https://api.test/\($0)" })
    }

    @Test func `a request is sent once, with its redirects and its challenges`() async throws {
        let server = try LoopbackServer()
        let network = try network()
        network.passThrough(.any)
        let session = network.makeSession(delegate: Login())
        #expect(try await session.data(from: server.url("/redirect/3")).0 == Data("hello".utf8))
        #expect(try read().networkAttempts == 1)
        #expect(try await session.data(from: server.url("/basic-auth/ada/secret")).0 == Data("welcome ada".utf8))
        #expect(server.requests.count == 6)
        #expect(try read().networkAttempts == 2)
        #expect(try read().summary.description == "2 requests: 2 passed through.")
        session.invalidateAndCancel()
    }
}

/// A delegate that answers challenges with a password.
private final class Login: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.useCredential, URLCredential(user: "ada", password: "secret", persistence: .none))
    }
}
