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
            #expect(load.error?.code == StubbornNetworkError.Code.unsupportedRequest.number)
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

    /// The system may show a body as data too, which is what the task sends.
    @Test func `a body that the request shows as data is taken from there`() throws {
        let task = try #require(TaskKind.upload(Data("Emma".utf8)).task(for: post(nil)))
        guard case .known(let body) = task.body(for: post("Emma")) else { throw URLError(.unknown) }
        #expect(body == Data("Emma".utf8))
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

    /// A kind of task, and the way in which it gets its body.
    enum Sending: CaseIterable {
        case data, stream, upload, connection

        /// A request with the body, and the kind of its task for the loader.
        func request(to url: URL) -> (URLRequest, TaskKind) {
            let body = Data("Emma".utf8)
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            switch self {
            case .data: request.httpBody = body
            case .connection:
                request.httpBody = body
                return (request, .none)
            case .stream: request.httpBodyStream = InputStream(data: body)
            case .upload: return (request, .upload(body, showsBody: true))
            }
            return (request, .data)
        }

        /// A task of a session without stubs.
        func task(for request: URLRequest, in session: URLSession) -> URLSessionTask {
            if case .upload = self { return session.uploadTask(with: request, from: Data("Emma".utf8)) }
            return session.dataTask(with: request)
        }
    }

    @Test(arguments: Sending.allCases)
    func `the real server gets the header fields of a session without stubs`(sending: Sending) async throws {
        let server = try LoopbackServer()
        network.passThrough(.any)
        let (request, kind) = sending.request(to: server.url("/upload"))
        try await Loader.story { loader in
            let load = await loader.load(request, through: session, by: kind)
            #expect(load.response?.statusCode == 200)
        }
        let plain = URLSession(configuration: .ephemeral)
        defer { plain.finishTasksAndInvalidate() }
        sending.task(for: sending.request(to: server.url("/upload")).0, in: plain).resume()
        try await eventually { server.requests.count == 2 }
        let names = ["Content-Length", "Transfer-Encoding", "Content-Type", "Expect"]
        let fields = server.requests.map { request in names.map { request.header($0) ?? "none" } }
        #expect(fields.first == fields.last)
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["Emma", "Emma"])
    }

    @Test func `streams that wait for work on a global queue do not take the threads of that work`() async throws {
        stubEcho()
        try await Loader.story { loader in
            let loads = (0..<150).map { _ in
                var request = post(nil)
                request.httpBodyStream = LateStream()
                return loader.start(request, through: session)
            }
            for load in loads {
                await load.end()
                #expect(load.text == "got Emma")
            }
        }
    }
}

/// A stream whose content is made on a global queue when it is read.
private final class LateStream: InputStream {
    private var rest = Data("Emma".utf8)

    init() { super.init(data: Data()) }

    override var hasBytesAvailable: Bool { true }
    override func open() {}
    override func close() {}

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        let isMade = DispatchSemaphore(value: 0)
        DispatchQueue.global(qos: .userInitiated).async { isMade.signal() }
        isMade.wait()
        let part = rest.prefix(maxLength)
        part.copyBytes(to: buffer, count: part.count)
        rest = Data(rest.dropFirst(part.count))
        return part.count
    }
}
