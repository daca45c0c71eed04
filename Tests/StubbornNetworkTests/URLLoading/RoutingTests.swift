import Foundation
import Testing

@testable import StubbornNetwork

@Suite(.timeLimit(.minutes(5)))
struct RoutingTests {
    let url = URL(string: "http://api.test/same")!

    private func network(answering text: String) -> StubbornNetwork {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .text(text))
        return network
    }

    @Test func `only header fields common to all sessions are known without a session`() throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        #expect(network.engine.recorder.firstSession == nil)
        for fields in [["X-App": "app", "X-First": "1", "X-Each": "1"], ["X-App": "app", "X-Each": "2"]] {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = fields
            configuration.timeoutIntervalForRequest = TimeInterval(10 * fields.count)
            _ = network.makeSession(configuration: configuration)
        }
        let first = try #require(network.engine.recorder.firstSession)
        #expect(first.additionalHeaders == ["X-App": "app"])
        #expect(first.configuration.timeoutIntervalForRequest == 30)
        #expect(!first.mayHaveDelegate)
        _ = network.makeSession(delegate: ClientDelegate())
        #expect(network.engine.recorder.firstSession?.mayHaveDelegate == true)
    }

    @Test func `two hundred networks answer the same URL at once, each with its own stub`() async throws {
        let networks = (0..<200).map { network(answering: "\($0)") }
        let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for round in 0..<5 {
                for (number, network) in networks.enumerated() {
                    let session = round.isMultiple(of: 2) ? network.session : network.makeSession()
                    group.addTask {
                        let (data, _) = try await session.data(from: self.url)
                        return (number, String(decoding: data, as: UTF8.self))
                    }
                }
            }
            return try await group.reduce(into: [(Int, String)]()) { $0.append($1) }
        }
        #expect(answers.count == 1000)
        for (number, answer) in answers { #expect(answer == "\(number)") }
    }

    @Test func `specialisations of different numbers are different classes`() {
        let classes = (0..<600).map { ObjectIdentifier(routeMarker(number: $0).classOfNetwork) }
        #expect(Set(classes).count == 600)
        #expect(ObjectIdentifier(routeMarker(number: 17).classOfNetwork) == classes[17])
    }

    @Test func `a network that nobody holds is freed, its session and its engine with it`() async throws {
        weak var network: StubbornNetwork?
        weak var session: URLSession?
        weak var engine: Engine?
        try await {
            let made = self.network(answering: "a")
            _ = try await made.session.data(from: url)
            (network, session, engine) = (made, made.session, made.engine)
        }()
        #expect(network == nil)
        try await eventually { session == nil && engine == nil }
    }

    @Test func `a session keeps its network's stubs after the network is freed`() async throws {
        weak var network: StubbornNetwork?
        let session = {
            let made = self.network(answering: "still here")
            network = made
            return made.session
        }()
        #expect(network == nil)
        let (data, _) = try await session.data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "still here")
    }

    @Test func `a session with its own delegate and queue keeps both and its stubs`() async throws {
        final class Delegate: NSObject, URLSessionDelegate {}
        let delegate = Delegate()
        let queue = OperationQueue()
        let session = network(answering: "here").makeSession(delegate: delegate, delegateQueue: queue)
        #expect(session.delegate === delegate)
        #expect(session.delegateQueue === queue)
        let (data, _) = try await session.data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "here")
    }

    @Test func `a class belongs to its network, and is not used again after the network is freed`() {
        var classes: Set<ObjectIdentifier> = []
        for _ in 0..<50 {
            let route = ProtocolRoute(Engine(.ephemeral, environment: [:]))
            let configuration = URLSessionConfiguration.ephemeral
            route.register(in: configuration)
            route.register(in: configuration)
            let taken = configuration.protocolClasses?.first as? StubbedSessionURLProtocol.Type
            classes.insert(ObjectIdentifier(taken ?? StubbedSessionURLProtocol.self))
            #expect(taken.flatMap { ProtocolClasses.shared[$0] } === route.engine)
        }
        #expect(classes.count == 50)
    }

    @Test func `a session made of a session's configuration fails when its network is gone`() async throws {
        func derivedSession() async throws -> URLSession {
            let gone = network(answering: "gone")
            let derived = URLSession(configuration: gone.session.configuration)
            let (data, _) = try await derived.data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "gone")
            return derived
        }
        let derived = try await derivedSession()
        let taken = try #require(derived.configuration.protocolClasses?.first as? URLProtocol.Type)
        try await eventually { ProtocolClasses.shared[taken] == nil }
        // A class that were used again would answer by one of these.
        let others = (0..<20).map { network(answering: "other \($0)") }
        for other in others { _ = other.session }
        for session in [derived, URLSession(configuration: derived.configuration)] {
            let error = await expectStubbornNetworkError { try await session.data(from: url) }
            #expect(error?.code == .networkGone)
            #expect(
                error?.message.hasPrefix("The network for the session of http://api.test/same has been freed") == true
            )
        }
    }

    @Test func `an engine is freed with its session if the session has its own queue`() async throws {
        weak var engine: Engine?
        try await {
            let made = self.network(answering: "a")
            engine = made.engine
            _ = try await made.makeSession(delegateQueue: OperationQueue()).data(from: url)
        }()
        try await eventually {
            _ = StubbornNetwork(.ephemeral, environment: [:])
            return engine == nil
        }
    }

    @Test func `a network cannot remove the stubs of another network`() async throws {
        let (one, other) = (network(answering: "one"), network(answering: "other"))
        other.remove(one.stub(.any, with: .text("two")))
        other.remove(StubbornNetwork(.ephemeral).stub(.any, with: .text("")))
        let (data, _) = try await other.session.data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "other")
    }

    @Test func `a delegate's redirect to a file URL is refused`() async throws {
        final class Delegate: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession,
                task: URLSessionTask,
                willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest,
                completionHandler: @escaping @Sendable (URLRequest?) -> Void
            ) {
                completionHandler(URLRequest(url: URL(string: "file:///etc/hosts")!))
            }
        }
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .status(302, headers: ["Location": "/b"]))
        let session = network.makeSession(delegate: Delegate())
        let error = await expectStubbornNetworkError { try await session.data(from: url) }
        #expect(error?.code == .unsupportedRequest)
    }

    @Test func `a request whose network is gone fails, reaches no other network and no server`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        do {
            let gone = network(answering: "gone")
            gone.insertStubbedSessionURLProtocol(into: configuration)
            let (data, _) = try await URLSession(configuration: configuration).data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "gone")
        }
        let others = (0..<20).map { network(answering: "other \($0)") }
        for other in others { _ = other.session }
        let error = await expectStubbornNetworkError {
            try await URLSession(configuration: configuration).data(from: url)
        }
        #expect(error?.code == .networkGone)
        #expect(
            error?.message == """
                The network for the session of http://api.test/same has been freed, so nothing can answer the request. \
                The real server was not called. Keep a reference to the StubbornNetwork as long as the session is used.
                """
        )
    }

    @Test func `a configuration that sessions are made with is never changed`() {
        let configuration = URLSessionConfiguration.default
        let before = (configuration.protocolClasses ?? []).map { ObjectIdentifier($0) }
        let cache = configuration.urlCache
        let session = network(answering: "").makeSession(configuration: configuration)
        #expect((configuration.protocolClasses ?? []).map { ObjectIdentifier($0) } == before)
        #expect(configuration.urlCache === cache)
        #expect(session.configuration.urlCache == nil)
    }

    @Test func `requests for data URLs are not answered by the network`() async throws {
        #expect(!StubbedSessionURLProtocol.canInit(with: URLRequest(url: URL(string: "data:text/plain,hi")!)))
        #expect(!StubbedSessionURLProtocol.canInit(with: URLRequest(url: URL(string: "file:///etc/hosts")!)))
        #expect(!StubbedSessionURLProtocol.canInit(with: URLRequest(url: URL(string: "about:blank")!)))
        #expect(StubbedSessionURLProtocol.canInit(with: URLRequest(url: URL(string: "ftp://a.test/")!)))
    }

    @Test(arguments: ["127.0.0.1/abc", "ftp://a.test/x", "http:///x"])
    func `a URL that no stub can answer is refused`(url: String) async throws {
        let session = network(answering: "never").session
        let error = await expectStubbornNetworkError {
            try await session.data(from: try #require(URL(string: url)))
        }
        #expect(error?.code == .unsupportedRequest)
        #expect(error?.message == Self.refusal(of: "\"\(url)\""))
    }

    @Test func `a request without URL is refused`() async throws {
        var request = URLRequest(url: url)
        request.url = nil
        let session = network(answering: "never").session
        let error = await expectStubbornNetworkError { try await session.data(for: request) }
        #expect(error?.message == Self.refusal(of: "no URL"))
    }

    private static func refusal(of url: String) -> String {
        """
        The request for \(url) was refused: stubs answer only http and https URLs with a host. The real server was not \
        called. Correct the URL of the request.
        """
    }
}
