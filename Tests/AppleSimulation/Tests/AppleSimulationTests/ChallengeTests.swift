import Foundation
import Testing

@testable import StubbornNetwork

/// A basic challenge goes to the client, which answers it, or not.
@Suite(.timeLimit(.minutes(2)))
struct ChallengeTests {
    private let network = StubbornNetwork(.ephemeral, environment: [:])
    private let request = URLRequest(url: URL(string: "https://api.test/books")!)

    private let challenge: HeaderFields = ["WWW-Authenticate": #"Basic realm="books""#]

    init() {
        network.stub(.any, with: .text("log in", statusCode: 401, headers: challenge))
        network.stub(.header("Authorization", equals: "Basic YWRhOnNlY3JldA=="), with: .text("welcome"))
    }

    private func load(answering answer: DelegateAnswer, in mode: LoadingMode = .classic) async throws -> Load? {
        var load: Load?
        let session = SimulatedSession(network, SimulatedConfiguration.in(mode))
        try await Loader.story { load = await $0.load(request, through: session, answering: answer) }
        return load
    }

    private static let right = DelegateAnswer.use(user: "ada", password: "secret")
    private static let wrong = DelegateAnswer.use(user: "ada", password: "wrong")

    @Test(arguments: [LoadingMode.classic, .new])
    func `a credential repeats the request`(mode: LoadingMode) async throws {
        let load = try await load(answering: Self.right, in: mode)
        #expect(load?.calls == ["challenge", "response 200", "data", "end"])
        #expect(load?.text == "welcome")
        #expect(load?.challenges.first?.protectionSpace.realm == "books")
    }

    @Test(arguments: [DelegateAnswer.defaultHandling, .reject], [LoadingMode.classic, .new])
    func `without a credential the 401 is delivered`(answer: DelegateAnswer, mode: LoadingMode) async throws {
        #expect(try await load(answering: answer, in: mode)?.calls == ["challenge", "response 401", "data", "end"])
    }

    @Test func `a session without a delegate is not asked`() async throws {
        let session = SimulatedSession(network.makeSession(delegate: nil).configuration)
        try await Loader.story { loader in
            let load = await loader.load(request, through: session, answering: Self.right)
            #expect(load.calls == ["response 401", "data", "end"])
        }
    }

    @Test func `a task with a delegate of its own is asked`() async throws {
        let session = SimulatedSession(network.makeSession(delegate: nil).configuration)
        try await Loader.story { loader in
            let load = await loader.load(request, through: session, by: .dataWithDelegate, answering: Self.right)
            #expect(load.text == "welcome")
        }
    }

    @Test(arguments: [LoadingMode.classic, .new])
    func `cancelling the challenge cancels the request`(mode: LoadingMode) async throws {
        #expect(try await load(answering: .cancel, in: mode)?.calls == ["challenge", "failure NSURLErrorDomain -999"])
    }

    @Test(arguments: [LoadingMode.classic, .new])
    func `a wrong credential is asked for again, three times`(mode: LoadingMode) async throws {
        let calls = ["challenge", "challenge", "challenge", "response 401", "data", "end"]
        let load = try await load(answering: Self.wrong, in: mode)
        #expect(load?.calls == calls)
        #expect(load?.challenges.map(\.previousFailureCount) == [0, 1, 2])
    }

    @Test func `a challenge says who asks for what`() async throws {
        let challenge = try #require(try await load(answering: Self.right)?.challenges.first)
        let space = challenge.protectionSpace
        #expect(space.host == "api.test" && space.port == 443 && space.protocol == "https" && space.realm == "books")
        #expect(space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
        #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
        #expect(challenge.proposedCredential == nil)
    }

    @Test func `a delegate that continues without a credential gets the 401, even if one is stored`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCredentialStorage = SimulatedCredentialStorage(user: "ada", realm: "books")
        let session = SimulatedSession(network, configuration)
        try await Loader.story { loader in
            let load = await loader.load(request, through: session, answering: .continueWithoutCredential)
            #expect(load.calls == ["challenge", "response 401", "data", "end"])
        }
    }

    @Test func `a second answer sends no second request`() async throws {
        let count = Lock(0)
        network.removeAllStubs()
        network.stub(.any, with: .text("log in", statusCode: 401, headers: challenge))
        network.stub(.header("Authorization")) { _ in
            count.withLock { $0 += 1 }
            return .text("welcome").delayed(by: .milliseconds(5))
        }
        #expect(try await load(answering: .first(Self.right, then: Self.right))?.text == "welcome")
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `the first of two answers counts`() async throws {
        #expect(try await load(answering: .first(Self.right, then: .cancel))?.text == "welcome")
        #expect(try await load(answering: .first(.reject, then: Self.right))?.calls.contains("response 401") == true)
    }

    @Test func `a challenge that nobody answers ends with the 401 when the request's time is over`() async throws {
        var request = request
        request.timeoutInterval = 0.1
        try await Loader.story { [request] loader in
            let load = await loader.load(request, through: SimulatedSession(network), answering: .never)
            #expect(load.calls == ["challenge", "response 401", "data", "end"])
        }
    }

    @Test func `a delegate may take some time for its answer`() async throws {
        #expect(try await load(answering: .after(6, Self.right))?.text == "welcome")
    }

    @Test func `an answer after the load was stopped does nothing`() async throws {
        try await Loader.story { loader in
            for _ in 0..<50 {
                try Task.checkCancellation()
                let load = loader.start(request, through: SimulatedSession(network), answering: .late(Self.right))
                try await eventually { load.challenges.count == 1 }
                load.cancel()
                await load.end()
                #expect(load.calls == ["challenge"])
            }
        }
        #expect(network.unusedDeclaredStubs.count == 1)
    }

    @Test func `no challenge reaches the client of a load that was stopped`() async throws {
        network.removeAllStubs()
        network.stub(.any, with: .status(401, headers: challenge).delayed(by: .milliseconds(1)))
        try await Loader.story { loader in
            for _ in 0..<30 {
                try Task.checkCancellation()
                let loads = (0..<100).map { _ in
                    let load = loader.start(request, through: SimulatedSession(network), answering: .never)
                    load.cancel(after: .random(in: 0.0005...0.002))
                    return load
                }
                for load in loads { await load.end() }
            }
        }
    }

    /// A session whose storage has the password of a user.
    private func session(withPasswordOf user: String, in realm: String) -> SimulatedSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCredentialStorage = SimulatedCredentialStorage(user: user, realm: realm)
        return SimulatedSession(network.makeSession(configuration: configuration, delegate: nil).configuration)
    }

    @Test func `a stored credential answers without a question`() async throws {
        try await Loader.story { loader in
            let load = await loader.load(request, through: session(withPasswordOf: "ada", in: "books"))
            #expect(load.calls == ["response 200", "data", "end"])
            #expect(load.text == "welcome")
        }
    }

    @Test(arguments: [("ada", "music"), ("eve", "books")])
    func `a stored credential of another realm or user does not help`(user: String, realm: String) async throws {
        try await Loader.story { loader in
            let load = await loader.load(request, through: session(withPasswordOf: user, in: realm))
            #expect(load.calls == ["response 401", "data", "end"])
        }
    }

    @Test(arguments: [TaskKind.data, .dataWithDelegate])
    func `a stored credential that fails is neither used nor proposed again`(kind: TaskKind) async throws {
        let count = Lock(0)
        network.removeAllStubs()
        network.stub(.any) { [challenge] request in
            if request.headerFields["Authorization"] != nil { count.withLock { $0 += 1 } }
            return .status(401, headers: challenge)
        }
        try await Loader.story { loader in
            let load = await loader.load(request, through: session(withPasswordOf: "ada", in: "books"), by: kind)
            #expect(load.calls.suffix(2) == ["response 401", "end"])
            #expect(load.challenges.dropFirst().allSatisfy { $0.proposedCredential == nil })
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `the challenge of a proxy is answered with its own field`() async throws {
        let challenge: HeaderFields = ["Proxy-Authenticate": #"Basic realm="books""#]
        network.removeAllStubs()
        network.stub(.any, with: .status(407, headers: challenge))
        network.stub(.header("Proxy-Authorization", equals: "Basic YWRhOnNlY3JldA=="), with: .text("welcome"))
        #expect(try await load(answering: Self.right)?.text == "welcome")
    }

    @Test func `a delegate gets the stored credential as a proposal, and may leave the answer to it`() async throws {
        let session = session(withPasswordOf: "ada", in: "books")
        try await Loader.story { loader in
            let load = await loader.load(request, through: session, by: .dataWithDelegate)
            #expect(load.calls == ["challenge", "response 200", "data", "end"])
            #expect(load.challenges.first?.proposedCredential?.user == "ada")
        }
    }

    @Test func `a challenge that nobody answers ends with the 401 at the timeout, or before a long one`() async throws {
        let session = SimulatedSession(network)
        try await Loader.story { loader in
            let loads = [3600, 0.5].map { timeout in
                var request = request
                request.timeoutInterval = timeout
                return loader.start(request, through: session, answering: .never)
            }
            await loads[1].end()
            #expect(loads[0].calls == ["challenge"])
            for load in loads {
                await load.end()
                #expect(load.calls == ["challenge", "response 401", "data", "end"])
            }
        }
    }

    @Test(arguments: [0, 1])
    func `the delegate of any session of the network is asked`(position: Int) async throws {
        let delegates = (0..<2).map { $0 == position ? SimulatedRedirectDelegate() : nil }
        let sessions = delegates.map { SimulatedSession(network.makeSession(delegate: $0).configuration) }
        try await Loader.story { loader in
            #expect(await loader.load(request, through: sessions[position], answering: Self.right).text == "welcome")
        }
    }
}
