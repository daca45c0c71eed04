import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// A request's body is found where Apple's platforms have it, and never dropped.
@Suite(.timeLimit(.minutes(2)))
struct BodyTests {
    private let network = StubbornNetwork(.ephemeral, environment: [:])

    private var session: SimulatedSession { SimulatedSession(network) }

    private func post(_ body: String?, to url: URL = URL(string: "https://api.test/books")!) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }

    private func stubEcho() {
        network.stub(.any) { request in
            let body = request.body.map { String(decoding: $0, as: UTF8.self) }
            return .text("got \(body ?? "none")")
        }
    }

    @Test func `the bodies of 500 requests at once are read from their streams`() async throws {
        stubEcho()
        try await Loader.story { loader in
            let loads = (0..<500).map { loader.start(post("book \($0)"), through: session) }
            for (number, load) in loads.enumerated() {
                await load.end()
                #expect(load.text == "got book \(number)")
            }
        }
    }

    @Test(arguments: [TaskKind.data, .upload(Data("Emma".utf8), showsBody: true), .none])
    func `a stream is read for each kind of task, and without one`(kind: TaskKind) async throws {
        stubEcho()
        try await Loader.story { loader in
            let load = await loader.load(post("Emma"), through: session, by: kind)
            #expect(load.text == "got Emma")
        }
    }

    @Test(arguments: [TaskKind.upload(Data("Emma".utf8)), .streamedUpload])
    func `an upload that does not show its body is refused`(kind: TaskKind) async throws {
        stubEcho()
        try await Loader.story { loader in
            let load = await loader.load(post(nil), through: session, by: kind)
            #expect(load.error?.domain == StubbornNetworkError.errorDomain)
            #expect(load.error?.code == StubbornNetworkError.Code.unsupportedTask.number)
            #expect(load.error?.localizedDescription.hasPrefix("The body of the upload to") == true)
        }
    }

    @Test func `an upload of nothing is answered`() async throws {
        stubEcho()
        try await Loader.story { loader in
            #expect(await loader.load(post(nil), through: session, by: .upload(nil)).text == "got none")
            #expect(await loader.load(post(nil), through: session, by: .upload(Data())).text == "got none")
        }
    }

    @Test(arguments: [TaskKind.data, .upload(Data("Emma".utf8), showsBody: true), .none])
    func `the real server gets the body`(kind: TaskKind) async throws {
        let server = try LoopbackServer()
        network.passThrough(.any)
        try await Loader.story { loader in
            let load = await loader.load(post("Emma", to: server.url("/upload")), through: session, by: kind)
            #expect(load.response?.statusCode == 200)
        }
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["Emma"])
        // Not in chunks: some servers do not accept them.
        #expect(server.requests.map { $0.header("Content-Length") } == ["4"])
    }

    @Test func `the real server never gets an upload without its body`() async throws {
        let server = try LoopbackServer()
        network.passThrough(.any)
        try await Loader.story { loader in
            let request = post(nil, to: server.url("/upload"))
            let load = await loader.load(request, through: session, by: .upload(Data("Emma".utf8)))
            #expect(load.error != nil)
        }
        #expect(server.connectionCount == 0)
    }
}
