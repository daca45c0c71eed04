import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

@testable import StubbornNetworkTesting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A test is in control: nothing that its network does is lost, and it decides when an answer comes.
@Suite(.timeLimit(.minutes(5)))
struct TestControlTests {
    let url = URL(string: "https://api.example.com/news")!

    /// Runs a body as a test with `.stubbed` and settings, and returns the issues that are not known.
    private func issues(
        _ settings: TestSettings = TestSettings(name: "TestControlTests"),
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> [String] {
        let test = try #require(Test.current)
        let issues = Lock<[String]>([])
        try await withKnownIssue(isIntermittent: true) {
            try await StubbedTrait(settings: settings).provideScope(for: test, testCase: nil, performing: body)
        } matching: { issue in
            issues.withLock { $0.append(issue.comments.first?.rawValue ?? "\(issue)") }
            return true
        }
        return issues.withLock { $0 }
    }

    // MARK: Unstubbed requests

    @Test func `a handler for unstubbed requests is called, and the test fails as without it`() async throws {
        let reports = Lock(0)
        let issues = try await issues { [url] in
            StubbornNetwork.current.onUnstubbedRequest = { _ in reports.withLock { $0 += 1 } }
            _ = try? await StubbornNetwork.current.session.data(from: url)
        }
        #expect(reports.withLock { $0 } == 1)
        #expect(issues.count == 1)
        #expect(issues.first?.hasPrefix("No stub answers GET https://api.example.com/news") == true)
    }

    @Test func `a handler in the closure of the trait does not take the place of the test's own`() async throws {
        var settings = TestSettings(name: "TestControlTests")
        settings.prepare = { $0.onUnstubbedRequest = { _ in } }
        let issues = try await issues(settings) { [url] in
            _ = try? await StubbornNetwork.current.session.data(from: url)
        }
        #expect(issues.count == 1)
    }

    @Test func `a known issue covers the unstubbed request that it catches`() async throws {
        let issues = try await issues { [url] in
            await withKnownIssue { _ = try await StubbornNetwork.current.session.data(from: url) }
        }
        #expect(issues == [])
    }

    @Test func `a known issue does not cover an equal request outside it`() async throws {
        let issues = try await issues { [url] in
            await withKnownIssue { _ = try await StubbornNetwork.current.session.data(from: url) }
            _ = try? await StubbornNetwork.current.session.data(from: url)
        }
        #expect(issues.count == 1)
    }

    // MARK: Warnings

    #if compiler(>=6.3)
        @Test func `a test with a warning has not failed, so its unused stubs are reported`() async throws {
            var settings = TestSettings(name: "TestControlTests", failsOn: [.standard, .unused])
            settings.prepare = { $0.stub(.path("/never"), with: .status(200)) }
            let issues = try await issues(settings) { Issue.record("slow today", severity: .warning) }
            #expect(issues.count == 2)
            #expect(issues.first == "slow today")
            #expect(issues.last?.hasPrefix("No request used declared stub path /never") == true)
        }
    #endif

    // MARK: Expectations inside an answer

    @Test(arguments: [false, true])
    func `an expectation in a computed stub belongs to the test`(isShared: Bool) async throws {
        let names = Lock<[String?]>([])
        var settings = TestSettings(name: "TestControlTests")
        settings.sharedSession = isShared
        let issues = try await issues(settings) { [url] in
            StubbornNetwork.current.stub(.any) { request in
                names.withLock { $0.append(Test.current?.name) }
                #expect(request.method == "POST", "a wrong method")
                return .text("x")
            }
            let session = isShared ? URLSession.shared : StubbornNetwork.current.session
            _ = try await session.data(from: url)
        }
        #expect(issues == ["a wrong method"])
        #expect(names.withLock { $0 } == [Test.current?.name])
    }

    @Test func `an expectation in a pattern and in a handler belongs to the test`() async throws {
        let issues = try await issues { [url] in
            let network = StubbornNetwork.current
            let pattern = RequestPattern.custom("none") { _ in
                Issue.record("in a pattern")
                return false
            }
            network.stub(pattern, with: .text("x"))
            network.onUnstubbedRequest = { _ in Issue.record("in a handler") }
            _ = try? await network.session.data(from: url)
        }
        #expect(issues.contains("in a pattern"))
        #expect(issues.contains("in a handler"))
    }

    @Test func `an expectation in a matcher, in a filter and in the pattern of a hold belongs to the test`()
        async throws
    {
        let server = try LoopbackServer { _ in .text("x") }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        var settings = TestSettings(name: "a", directory: .init(path: directory.path), recordMode: .recording)
        settings.environment = [:]
        let names = Lock<[String: String?]>([:])
        let issues = try await issues(settings) {
            let network = StubbornNetwork.current
            let note: @Sendable (String) -> Void = { place in
                names.withLock { $0[place] = Test.current?.name }
                Issue.record("in \(place)")
            }
            network.requestMatcherOptions = [
                .custom { _, _ in
                    note("a matcher")
                    return false
                }
            ]
            network.recordingFilter = { exchange in
                note("a filter")
                return exchange
            }
            _ = network.hold(
                .custom("none") { _ in
                    note("the pattern of a hold")
                    return false
                }
            )
            network.stub(URLRequest(url: server.url("/")), with: .text("x"))
            _ = try await network.session.data(from: server.url("/"))
        }
        for place in ["a matcher", "a filter", "the pattern of a hold"] {
            #expect(issues.contains("in \(place)"), "\(place): \(issues)")
            #expect(names.withLock { $0[place] } == Test.current?.name)
        }
    }

    @Test func `an expectation in the answer for a delegate belongs to the test`() async throws {
        let issues = try await issues { [url] in
            let network = StubbornNetwork.current
            network.stub(.any) { _ in
                Issue.record("in an answer")
                return .text("x")
            }
            let delegate = EndingDelegate()
            network.makeSession(delegate: delegate).dataTask(with: url).resume()
            while !delegate.hasEnded.withLock({ $0 }) { try await Task.sleep(nanoseconds: 1_000_000) }
        }
        #expect(issues == ["in an answer"])
    }

    @Test(.stubbed(named: "TestControlTests"), arguments: 0..<50)
    func `parallel tests have the expectations of their own closures`(number: Int) async throws {
        let network = StubbornNetwork.current
        let cases = Lock<[String]>([])
        network.stub(.any) { _ in
            cases.withLock {
                $0.append("\(String(describing: Test.Case.current?.isParameterized)) \(Test.current?.name ?? "")")
            }
            return .text("\(number)")
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try? await network.session.data(from: url) } }
        }
        #expect(cases.withLock { $0 } == Array(repeating: "Optional(true) \(Test.current?.name ?? "")", count: 20))
    }

    // MARK: Hold and release

    @Test(.stubbed { $0.stub(.any, with: .text("news")) }) func `a held answer comes when it is released`() async throws
    {
        let network = StubbornNetwork.current
        let held = network.hold(.path("/news"))
        let task = Task { try await network.session.data(from: url).0 }
        #expect(await held.requested(within: .seconds(60)))
        #expect(held.requests.map(\.url) == [url])
        #expect(network.exchanges.map(\.outcome) == [nil])
        held.release()
        #expect(try await task.value == Data("news".utf8))
        #expect(network.exchanges.map(\.outcome) == [.stubbed])
    }

    @Test(.stubbed(sharedSession: true)) func `a request of the shared session is held`() async throws {
        let network = StubbornNetwork.current
        let held = network.hold(.path("/news"), with: .text("news"))
        let task = Task { try await URLSession.shared.data(from: url).0 }
        #expect(await held.requested(within: .seconds(60)))
        held.release()
        #expect(try await task.value == Data("news".utf8))
    }

    @Test(.stubbed) func `a held answer fails as the test says`() async throws {
        let network = StubbornNetwork.current
        let held = network.hold(.any, with: .text("news"))
        let task = Task { try await network.session.data(from: url) }
        await held.requested(within: .seconds(60))
        held.fail(URLError(.notConnectedToInternet))
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .notConnectedToInternet)
    }

    @Test(.stubbed) func `answers are released in any order`() async throws {
        let network = StubbornNetwork.current
        let held = network.hold(.host("a.example"), with: .text("x"))
        let ended = Lock<[String]>([])
        let tasks = ["/1", "/2", "/3"].map { path in
            Task {
                _ = try await network.session.data(from: URL(string: "https://a.example\(path)")!)
                ended.withLock { $0.append(path) }
            }
        }
        #expect(await held.requested(3, within: .seconds(60)))
        for (number, path) in [(3, "/3"), (1, "/1"), (2, "/2")] {
            held.release(.path(path))
            try await tasks[number - 1].value
        }
        #expect(ended.withLock { $0 } == ["/3", "/1", "/2"])
    }

    @Test(.stubbed) func `a held request may be cancelled, and ends at its own timeout`() async throws {
        let network = StubbornNetwork.current
        let held = network.hold(.any, with: .text("x"))
        let task = Task { try await network.session.data(from: url) }
        await held.requested(within: .seconds(60))
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        let error = await #expect(throws: URLError.self) {
            try await network.session.data(for: URLRequest(url: url, timeoutInterval: 0.2))
        }
        #expect(error?.code == .timedOut)
        held.release()
    }

    @Test(.stubbed) func `a thousand held answers are released`() async throws {
        let network = StubbornNetwork.current
        let held = network.hold(.any, with: .text("x"))
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    try await network.session.data(from: URL(string: "https://a.example/\(number)")!).0.count
                }
            }
            #expect(await held.requested(1_000, within: .seconds(60)))
            held.release()
            return try await group.reduce(0, +)
        }
        #expect(count == 1_000)
    }

    @Test func `what is still held at the end of a test fails, and so does the test`() async throws {
        let task = Lock<Task<Bool, Never>?>(nil)
        let issues = try await issues { [url] in
            let network = StubbornNetwork.current
            let held = network.hold(.path("/news"), with: .text("x"))
            let request = Task { (try? await network.session.data(from: url)) == nil }
            task.withLock { $0 = request }
            await held.requested(within: .seconds(60))
        }
        #expect(await task.withLock { $0 }?.value == true)
        #expect(issues.count == 1)
        #expect(
            issues.first?.hasPrefix("The test ended while the hold of path /news at TestControlTests.swift:") == true
        )
    }

    @Test func `a request that never comes fails the test with a text`() async throws {
        let issues = try await issues {
            let held = StubbornNetwork.current.hold(.path("/news"))
            #expect(await held.requested(within: .milliseconds(50)) == false)
        }
        #expect(issues.first?.hasPrefix("1 request should have reached the hold of path /news at ") == true)
    }

    // MARK: Cookies

    /// Sends two requests in a test, with a session whose cookies are in the storage that all sessions share, and returns the
    /// cookies that they have.
    ///
    /// Tests in parallel share that storage, so each has a host of its own.
    private func cookies(
        to host: String,
        isShared: Bool,
        prepare: @escaping @Sendable (URL) -> Void = { _ in }
    ) async throws -> [String] {
        let url = try #require(URL(string: "https://\(host)\(isShared).example/"))
        let cookies = Lock<[String]>([])
        var settings = TestSettings(name: "TestControlTests")
        settings.sharedSession = isShared
        let issues = try await issues(settings) {
            let network = StubbornNetwork.current
            network.stub(.any) { request in
                let sent = request.headerFields["Cookie"] ?? "none"
                cookies.withLock { $0.append(sent.components(separatedBy: "; ").sorted().joined(separator: "; ")) }
                return .status(200, headers: ["Set-Cookie": "received=1; Path=/; Max-Age=600"])
            }
            let session = isShared ? URLSession.shared : network.makeSession(configuration: .default)
            prepare(url)
            for _ in 0..<2 { _ = try await session.data(from: url) }
        }
        #expect(issues == [])
        return cookies.withLock { $0 }
    }

    private func cookie(_ text: String, for url: URL) -> HTTPCookie? {
        HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": "\(text); Path=/"], for: url).first
    }

    @Test(arguments: [false, true])
    func `cookies that responses set do not outlive their test`(isShared: Bool) async throws {
        for _ in 0..<2 {
            #expect(try await cookies(to: "received", isShared: isShared) == ["none", "received=1"])
        }
    }

    @Test(arguments: [false, true])
    func `a cookie that a test sets itself is sent in it, and is not removed`(isShared: Bool) async throws {
        let storage = HTTPCookieStorage.shared
        let sent = try await cookies(to: "own", isShared: isShared) { [cookie] in
            cookie("own=1", $0).map(storage.setCookie)
        }
        #expect(sent == ["own=1", "own=1; received=1"])
        let left = (storage.cookies ?? []).filter { $0.domain == "own\(isShared).example" }
        #expect(left.map(\.name) == ["own"])
        left.forEach(storage.deleteCookie)
    }

    @Test func `a cookie that took the place of a received one is not removed at the end of the test`() async throws {
        let storage = HTTPCookieStorage.shared
        let url = try #require(URL(string: "https://replaced.example/"))
        let other = try #require(cookie("received=2", for: url))
        let issues = try await issues {
            let network = StubbornNetwork.current
            network.stub(.any, with: .status(200, headers: ["Set-Cookie": "received=1; Path=/"]))
            _ = try await network.makeSession(configuration: .default).data(from: url)
            storage.setCookie(other)
        }
        #expect(issues == [])
        #expect(storage.cookies(for: url)?.map(\.value) == ["2"])
        storage.deleteCookie(other)
    }

    // MARK: Files

    @Test func `tests that share a file and record different answers are listed`() throws {
        let file = URL(fileURLWithPath: "/tmp/\(UUID().uuidString).json")
        let request = StubRequest(method: "GET", url: url)
        func conflict(_ name: String, _ answer: String) throws -> String? {
            let test = try TestName(id: "Module.Suite/\(name)()/File.swift:1:1", fileID: "Module/File.swift")
            return SharedRecordings.conflict(of: test, in: file, [Stub(request: request, response: .text(answer))])
        }
        #expect(try conflict("a", "4") == nil)
        #expect(try conflict("b", "4") == nil)
        let text = try #require(try conflict("c", "5"))
        #expect(text.contains("  GET https://api.example.com/news: Suite_c, Suite_a, Suite_b"), "\(text)")
    }

    @Test(arguments: [("a*b?c", "a_b_c_"), ("a|b", "a_b_"), ("CON", "_CON_"), ("nul.x", "_nul.x_")])
    func `a file's name can be checked out on Windows`(name: String, start: String) throws {
        let file = try #require(StubFileLocation.fileName(for: name))
        #expect(file.hasPrefix(start))
        #expect(file.count == start.count + 8)
    }

    @Test(.stubbed, arguments: ["\u{e9}", "e\u{301}"]) func accents(letter: String) throws {
        let name = try #require(StubbornNetwork.current.stubFile?.lastPathComponent)
        let isKnown = Self.accentFiles.withLock { $0.updateValue(letter.utf8.count, forKey: name) }
        #expect(isKnown == nil, "composed and decomposed letters have a file each")
    }

    private static let accentFiles = Lock<[String: Int]>([:])
}

/// A delegate that waits for the end of its task.
private final class EndingDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    let hasEnded = Lock(false)

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        hasEnded.withLock { $0 = true }
    }
}
