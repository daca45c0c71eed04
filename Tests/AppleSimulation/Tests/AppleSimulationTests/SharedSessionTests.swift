import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork
@testable import StubbornNetworkTesting

/// `URLSession.shared` asks the registered classes, several times for a request, and outside of the task that started it.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SharedSessionTests {
    private let request = URLRequest(url: URL(string: "https://shared.test/books")!)

    private func network(_ text: String) -> StubbornNetwork {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .text(text))
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @Test(arguments: [TaskKind.data, .none])
    func `a network answers until its interception ends`(kind: TaskKind) async throws {
        try await Loader.story { loader in
            let interception = network("mine").interceptSharedSession()
            #expect(await loader.load(request, through: .shared, by: kind).text == "mine")
            interception.end()
            #expect(await loader.load(request, through: .shared, by: kind).calls == ["real network"])
        }
    }

    @Test func `requests fail while two networks intercept`() async throws {
        try await Loader.story { loader in
            let first = network("first").interceptSharedSession()
            let second = network("second").interceptSharedSession()
            let load = await loader.load(request, through: .shared)
            #expect(load.error?.domain == StubbornNetworkError.errorDomain)
            #expect(load.error?.code == StubbornNetworkError.Code.ambiguousInterception.number)
            first.end()
            #expect(await loader.load(request, through: .shared).text == "second")
            second.end()
        }
    }

    @Test func `two interceptions of one network give one answer`() async throws {
        try await Loader.story { loader in
            let network = network("one")
            let first = network.interceptSharedSession()
            let second = network.interceptSharedSession()
            #expect(await loader.load(request, through: .shared).text == "one")
            first.end()
            second.end()
        }
    }

    @Test func `an interception that has ended frees its engine when its requests have started`() async throws {
        weak var engine: Engine?
        try await Loader.story { loader in
            var network: StubbornNetwork? = network("mine")
            engine = network?.engine
            let interception = network?.interceptSharedSession()
            network = nil
            for number in 0..<20 {
                let request = URLRequest(url: try #require(URL(string: "https://shared.test/\(number % 10)")))
                #expect(await loader.load(request, through: .shared).text == "mine")
            }
            // Not because of the time after which claims are dropped.
            let number = try #require(interception?.number)
            SharedSessionInterceptions.shared.end(number, claimTimeout: .seconds(3600))
        }
        try await eventually { engine == nil }
    }

    @Test func `an interception that has ended frees its engine when a request was never started`() async throws {
        weak var engine: Engine?
        try await Loader.story { _ in
            var network: StubbornNetwork? = network("mine")
            engine = network?.engine
            let interception = network?.interceptSharedSession()
            network = nil
            let protocolClass = try #require(SimulatedSession.shared.protocolClass(for: request))
            _ = protocolClass.init(request: request, cachedResponse: nil, client: nil)
            // Not because of the time after which claims are dropped.
            SharedSessionInterceptions.shared.end(try #require(interception?.number), claimTimeout: .seconds(3600))
        }
        try await eventually { engine == nil }
    }

    @Test func `requests that were claimed before the end are answered, equal ones too`() async throws {
        try await Loader.story { loader in
            let network = network("mine")
            let interception = network.interceptSharedSession()
            let session = SimulatedSession.shared
            let asked = (0..<20).map { number in
                let request = URLRequest(url: URL(string: "https://shared.test/\(number / 2)")!)
                return (request, (0..<3).map { _ in session.protocolClass(for: request) }[2])
            }
            interception.end()
            for (request, protocolClass) in asked {
                let load = loader.start(request, through: .asked(try #require(protocolClass)))
                await load.end()
                #expect(load.text == "mine")
            }
        }
    }

    @Test func `the class of an ended interception is not another network's while requests may come`() async throws {
        try await Loader.story { loader in
            weak var engine: Engine?
            var first: StubbornNetwork? = network("first")
            engine = first?.engine
            let interception = first?.interceptSharedSession()
            let protocolClass = try #require(SimulatedSession.shared.protocolClass(for: request))
            #expect(await loader.load(request, through: .shared).text == "first")
            interception?.end()
            first = nil
            try await eventually { engine == nil }
            let others = (0..<200).map { _ in network("other").interceptSharedSession() }
            defer { for other in others { other.end() } }
            let load = await loader.load(request, through: .asked(protocolClass))
            #expect(load.error?.code == StubbornNetworkError.Code.networkGone.number)
        }
    }

    @Test func `a request of a network without sessions has the cookies of the shared session`() async throws {
        let server = try LoopbackServer()
        let storage = try #require(URLSession.shared.configuration.httpCookieStorage)
        let url = server.url("/cookies")
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": "basket=42; Path=/"], for: url)
        storage.setCookies(cookies, for: url, mainDocumentURL: nil)
        defer { for cookie in cookies { storage.deleteCookie(cookie) } }
        try await Loader.story { loader in
            let network = StubbornNetwork(.ephemeral, environment: [:])
            network.passThrough(.any)
            let interception = network.interceptSharedSession()
            let load = await loader.load(URLRequest(url: url), through: .shared)
            #expect(load.text == #"{"basket":"42"}"#)
            interception.end()
        }
    }

    @Test func `the end of a test removes the cookies of its responses, and no others`() async throws {
        let storage = HTTPCookieStorage.shared
        let url = try #require(URL(string: "https://cookies.test/"))
        let own = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": "own=1; Path=/"], for: url)
        storage.setCookies(own, for: url, mainDocumentURL: nil)
        defer { own.forEach(storage.deleteCookie) }
        try await Loader.story { loader in
            let network = StubbornNetwork(.ephemeral, environment: [:])
            network.stub(.any, with: .status(200, headers: ["Set-Cookie": "received=1; Path=/"]))
            let interception = network.interceptSharedSession()
            _ = await loader.load(URLRequest(url: url), through: .shared)
            #expect(storage.cookies(for: url)?.map(\.name).sorted() == ["own", "received"])
            network.removeSharedCookies()
            #expect(storage.cookies(for: url)?.map(\.name) == ["own"])
            interception.end()
        }
    }

    @Test func `an interception that begins is asked before a class that others have registered`() async throws {
        try await Loader.story { loader in
            network("first").interceptSharedSession().end()
            URLProtocol.registeredClasses.withLock { $0.insert(FailingProtocol.self, at: 0) }
            defer { URLProtocol.registeredClasses.withLock { $0.removeAll { $0 == FailingProtocol.self } } }
            let interception = network("mine").interceptSharedSession()
            #expect(await loader.load(request, through: .shared).text == "mine")
            interception.end()
        }
    }

    @Test func `the class that refuses requests is asked last, and each class is registered once`() async throws {
        try await Loader.story { loader in
            let others = (0..<70).map { network("\($0)").interceptSharedSession() }
            defer { for other in others { other.end() } }
            let classes = URLProtocol.registeredClasses.withLock { $0 }
            #expect(classes.last == UnclaimedRequestURLProtocol.self)
            #expect(SharedSessionHook.contains(UnclaimedRequestURLProtocol.self))
            #expect(classes.allSatisfy(SharedSessionHook.contains))
            #expect(!SharedSessionHook.contains(FailingProtocol.self))
            #expect(URLProtocol.repeatedRegistrations.withLock { $0 } == 0)
        }
    }

    @Test func `classes are asked in the order in which they were put first`() {
        final class First: URLProtocol {}
        final class Second: URLProtocol {}
        SharedSessionHook.putFirst([First.self, Second.self])
        let own = [First.self, Second.self] as [URLProtocol.Type]
        let classes = URLProtocol.registeredClasses.withLock { classes in
            defer { classes.removeAll { registered in own.contains { $0 == registered } } }
            return Array(classes.prefix(2))
        }
        #expect(classes.elementsEqual(own) { $0 == $1 })
    }

    @Test func `the class of an ended interception is used again when no request can come any more`() async throws {
        try await Loader.story { loader in
            let interception = network("first").interceptSharedSession()
            let protocolClass = try #require(SimulatedSession.shared.protocolClass(for: request))
            SharedSessionInterceptions.shared.end(interception.number, claimTimeout: .milliseconds(10))
            let network = network("second")
            var others: [SharedSessionInterception] = []
            defer { for other in others { other.end() } }
            // An interception that begins takes the class that has been free for the longest time, and moves it to the
            // front.
            try await eventually {
                others.append(network.interceptSharedSession())
                return URLProtocol.registeredClasses.withLock { $0.first } == protocolClass
            }
            #expect(await loader.load(request, through: .asked(protocolClass)).text == "second")
        }
    }

    @Test func `tests that use the shared session run one after another`() async throws {
        let running = Lock(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await SharedSessionQueue.run {
                        let count = running.withLock { running in
                            running += 1
                            return running
                        }
                        #expect(count == 1)
                        for _ in 0..<10 { await Task.yield() }
                        running.withLock { $0 -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `interceptions of two tasks cannot be told apart, so that tests take turns`() async throws {
        #expect(!StubbornNetwork.tellsSharedSessionTasksApart)
        try await Loader.story { loader in
            let other = network("other").interceptSharedSession()
            await network("mine").interceptingSharedSession {
                let load = await loader.load(request, through: .shared)
                #expect(load.error?.code == StubbornNetworkError.Code.ambiguousInterception.number)
            }
            other.end()
        }
    }
}
