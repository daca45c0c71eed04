import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

@testable import StubbornNetworkTesting

@Suite(.timeLimit(.minutes(5)))
struct StubbedTraitTests {
    let url = URL(string: "https://api.example.com/greeting")!

    private func text() async throws -> String {
        String(decoding: try await StubbornNetwork.current.session.data(from: url).0, as: UTF8.self)
    }

    @Test(.stubbed) func login() async throws {
        #expect(try await text() == "from Stubs/StubbedTraitTests_login.json")
    }

    @Test(.stubbed(named: "StubbedTraitTests_login")) func `the name of another test`() async throws {
        #expect(try await text() == "from Stubs/StubbedTraitTests_login.json")
    }

    @Test(.stubbed(sharing: ["StubbedTraitTests_login"])) func `a file that is shared with another test`() async throws
    {
        #expect(try await text() == "from Stubs/StubbedTraitTests_login.json")
        #expect(
            StubbornNetwork.current.stubFile?.lastPathComponent
                == "StubbedTraitTests_a_file_that_is_shared_with_another_test.json"
        )
    }

    @Test(.stubbed { $0.stub(.any, with: .status(503)) }) func outage() async throws {
        let (_, response) = try await StubbornNetwork.current.session.data(from: url)
        #expect((response as? HTTPURLResponse)?.statusCode == 503)
    }

    @Test(.stubbed { $0.stub(.any, with: .text("mine")) }, arguments: 0..<20)
    func `each case has its own network`(number: Int) async throws {
        let network = StubbornNetwork.current
        network.stub(.any, with: .text("\(number)"))
        #expect(try await text() == "\(number)")
        #expect(network.exchanges.count == 1)
    }

    @Test(.stubbed, arguments: ["one", "two words"])
    func cases(argument: String) async throws {
        let name = argument.replacingOccurrences(of: " ", with: "_")
        #expect(StubbornNetwork.current.stubFile?.lastPathComponent == "StubbedTraitTests_cases_\(name).json")
    }

    @Test(.stubbed, arguments: [(1, true)], ["a"])
    func cases(of pairs: (Int, Bool), and text: String) async throws {
        #expect(StubbornNetwork.current.stubFile?.lastPathComponent == "StubbedTraitTests_cases_(1,_true)_a.json")
    }

    @Test func `an unused declared stub fails the test if asked to`() async throws {
        let test = try #require(Test.current)
        try await withKnownIssue {
            var settings = TestSettings(name: "StubbedTraitTests_login", failsOn: [.standard, .unused])
            settings.prepare = { $0.stub(.path("/never"), with: .status(200)) }
            try await StubbedTrait(settings: settings).provideScope(for: test, testCase: nil) { _ = try await text() }
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.hasPrefix("No request used declared stub path /never (StubbedTraitTests.swift:")
            }
        }
    }

    @Test func `without the trait the test and its requests fail, and stubs answer nothing`() async throws {
        let failures = Lock<[String]>([])
        await withKnownIssue {
            StubbornNetwork.current.stub(.any, with: .text("green"))
            await #expect(throws: (any Error).self) { try await text() }
        } matching: { issue in
            failures.withLock { $0.append(issue.comments.first?.rawValue ?? "\(issue)") }
            return true
        }
        let message = """
            StubbornNetwork.current was used outside a test with the trait .stubbed, or in a detached task, which does not \
            inherit the test's network. Its requests fail, and stubs that are declared in it answer nothing. Add \
            .stubbed to this test or its suite, or pass the network to the task in a constant. In XCTest call \
            stubbedNetwork().
            """
        #expect(failures.withLock { $0 } == [message])
        // Every request says so again.
        let error = await #expect(throws: (any Error).self) { try await text() }
        #expect(error.map { "\($0)" }?.contains(message) == true)
    }

    @Test func `an unstubbed request fails the test with the whole report`() async throws {
        let test = try #require(Test.current)
        try await withKnownIssue {
            try await StubbedTrait(settings: TestSettings(name: "nothing")).provideScope(for: test, testCase: nil) {
                _ = try? await StubbornNetwork.current.session.data(from: url)
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.hasPrefix("No stub answers GET https://api.example.com/greeting") }
        }
    }

    @Test func `a test that throws the error of an unstubbed request fails once, with the report`() async throws {
        let test = try #require(Test.current)
        let texts = Lock<[String]>([])
        try await withKnownIssue {
            try await StubbedTrait(settings: TestSettings(name: "nothing")).provideScope(for: test, testCase: nil) {
                _ = try await StubbornNetwork.current.session.data(from: url)
            }
        } matching: { issue in
            texts.withLock { $0.append(issue.comments.first?.rawValue ?? "\(issue)") }
            return true
        }
        try #require(texts.withLock { $0.count } == 1, "\(texts.withLock { $0 })")
        let text = texts.withLock { $0[0] }
        #expect(text.hasPrefix("No stub answers GET https://api.example.com/greeting (playback, "), "\(text)")
    }

    @Test(arguments: [true, false])
    func `a test that throws the NSError of an unstubbed request fails once`(withoutUserInfo: Bool) async throws {
        let test = try #require(Test.current)
        let texts = Lock<[String]>([])
        try await withKnownIssue {
            try await StubbedTrait(settings: TestSettings(name: "nothing")).provideScope(for: test, testCase: nil) {
                do {
                    _ = try await StubbornNetwork.current.session.data(from: url)
                } catch {
                    // As Apple's URL loading system hands it on.
                    let error = error as NSError
                    let info = error.userInfo.filter { !withoutUserInfo || $0.key == NSLocalizedDescriptionKey }
                    throw NSError(domain: error.domain, code: error.code, userInfo: info)
                }
            }
        } matching: { issue in
            texts.withLock { $0.append(issue.comments.first?.rawValue ?? "\(issue)") }
            return true
        }
        #expect(texts.withLock { $0 }.count == 1, "\(texts.withLock { $0 })")
    }

    @Test func `several requests of a test without a stub file are one failure`() async throws {
        let test = try #require(Test.current)
        let texts = Lock<[String]>([])
        try await withKnownIssue {
            try await StubbedTrait(settings: TestSettings(name: "nothing")).provideScope(for: test, testCase: nil) {
                let session = StubbornNetwork.current.session
                for path in ["a", "b", "c", "a"] { _ = try? await session.data(from: url.appendingPathComponent(path)) }
            }
        } matching: { issue in
            texts.withLock { $0.append(issue.comments.first?.rawValue ?? "") }
            return true
        }
        let failures = texts.withLock { $0 }
        #expect(failures.count == 1)
        #expect(failures.first?.hasPrefix("No stub answers GET https://api.example.com/greeting/a (playback, ") == true)
        let end = """
            (2 times)
            Nothing answers these requests either:
              GET https://api.example.com/greeting/b
              GET https://api.example.com/greeting/c
            """
        #expect(failures.first?.hasSuffix(end) == true)
    }

    @Test func `a test that throws another error fails for it and for its unstubbed requests`() async throws {
        let test = try #require(Test.current)
        let texts = Lock<[String]>([])
        try await withKnownIssue {
            try await StubbedTrait(settings: TestSettings(name: "nothing")).provideScope(for: test, testCase: nil) {
                _ = try? await StubbornNetwork.current.session.data(from: url)
                throw CocoaError(.fileNoSuchFile)
            }
        } matching: { issue in
            texts.withLock { $0.append(issue.error is CocoaError ? "error" : issue.comments.first?.rawValue ?? "") }
            return true
        }
        let told = texts.withLock { $0.map { String($0.prefix(16)) } }
        #expect(told == ["No stub answers ", "error"])
    }

    @Test(arguments: [
        ("Module.login()/File.swift:1:2", "login"),
        ("Module.Outer/Inner/login()/File.swift:11:50", "Outer_Inner_login"),
        ("Module.Outer/`with a number`(n:)/File.swift:10:75", "Outer_with a number"),
    ])
    func `a test's stub is named after its suites and itself`(id: String, name: String) throws {
        #expect(try TestName(id: id, fileID: "Module/File.swift").stubName == name)
    }

    @Test(arguments: ["login()", "Module.login()", "Module::login()/File.swift:1:2", "/File.swift:1:2", ""])
    func `a test whose identifier has another form gets an error rather than a stub file`(id: String) {
        let error = #expect(throws: StubbornNetworkError.self) { try TestName(id: id, fileID: "Module/File.swift") }
        #expect(error?.code == .unsupportedVersion)
    }

    // MARK: Recording

    private func record(
        _ server: LoopbackServer,
        into directory: String,
        passes: Bool = false,
        mode: RecordMode = .recordingOnce
    ) async throws {
        let test = try #require(Test.current)
        let trait = StubbedTrait(
            settings: TestSettings(
                name: "recorded",
                directory: .init(path: directory),
                recordMode: mode,
                failsOn: passes ? .unstubbed : nil,
                // Not that of a build server, where nothing is recorded.
                environment: .newRun
            )
        )
        try await trait.provideScope(for: test, testCase: nil) {
            _ = try await StubbornNetwork.current.session.data(from: server.url("/hello"))
        }
    }

    @Test func `a test that recorded fails, and lists what it recorded and where`() async throws {
        let server = try LoopbackServer()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("trait-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await withKnownIssue {
            try await record(server, into: directory)
        } matching: { issue in
            issue.comments.first?.rawValue == """
                1 exchange was recorded into \(directory)/recorded.json:
                  GET \(server.url("/hello")): 200, 5 bytes
                """
        }
        // From now on it is played back, and passes.
        server.stop()
        try await record(server, into: directory)
        #expect(server.requests.count == 1)
    }

    @Test func `with STUB_COPIES a test records a copy of its file, and does not fail for it`() async throws {
        let server = try LoopbackServer()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("trait-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let test = try #require(Test.current)
        let trait = StubbedTrait(
            settings: TestSettings(
                name: "recorded",
                directory: .init(path: "\(directory)/Stubs"),
                recordMode: .recording,
                environment: ["STUB_COPIES": "\(directory)/copies"].merging(.newRun) { $1 }
            )
        )
        try await trait.provideScope(for: test, testCase: nil) {
            _ = try await StubbornNetwork.current.session.data(from: server.url("/hello"))
        }
        let copy = "\(directory)/copies\(directory)/Stubs/recorded.json"
        #expect(FileManager.default.fileExists(atPath: copy))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["copies"])
    }

    @Test func `a test that fails after its file has answered in recording-missing says so`() async throws {
        let server = try LoopbackServer()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("trait-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        await withKnownIssue { try await record(server, into: directory) }
        func texts(asksFor path: String, isComplete: Bool) async throws -> [String] {
            let network = try TestNetwork(
                [
                    TestSettings(
                        name: "recorded",
                        directory: .init(path: directory),
                        recordMode: .recordingMissing,
                        failsOn: [],
                        environment: .newRun
                    )
                ],
                for: TestName(ofXCTest: "-[UserTests testList]"),
                in: #filePath,
                target: .network
            )
            _ = try await network.network.session.data(from: server.url(path))
            return await network.end(isComplete: isComplete)
        }
        #expect(
            try await texts(asksFor: "/hello", isComplete: false) == [
                """
                The test failed in recording-missing, which plays \(directory)/recorded.json before it records: 1 of its stubs \
                answered with earlier recordings.
                To record the test again:  STUB_RECORD_MODE=recording swift test --filter UserTests.testList
                """
            ]
        )
        #expect(try await texts(asksFor: "/hello", isComplete: true) == [])
        #expect(try await texts(asksFor: "/bytes/1", isComplete: false) == [])
    }

    @Test func `a test whose recording cannot be written fails with the reason`() async throws {
        let server = try LoopbackServer()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("trait-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let trait = StubbedTrait(
            settings: TestSettings(
                name: "recorded",
                directory: .init(path: directory.path),
                recordMode: .recording,
                failsOn: .unstubbed,
                environment: [:]
            )
        )
        let test = try #require(Test.current)
        let texts = Lock<[String]>([])
        try await withKnownIssue {
            try await trait.provideScope(for: test, testCase: nil) {
                _ = try await StubbornNetwork.current.session.data(from: server.url("/hello"))
                // A directory in the file's place is not replaced.
                let file = directory.appendingPathComponent("recorded.json")
                try? FileManager.default.removeItem(at: file)
                try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
            }
        } matching: { issue in
            texts.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }
        #expect(texts.withLock { $0.count } == 1)
        #expect(texts.withLock { $0.first?.contains("/recorded.json cannot be read: Is a directory.") } == true)
    }

    @Test func `a test that recorded passes if asked to`() async throws {
        let server = try LoopbackServer()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("trait-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await record(server, into: directory, passes: true, mode: .recording)
        #expect(server.requests.count == 1)
        // What it recorded is played back.
        server.stop()
        try await record(server, into: directory, mode: .playback)
        #expect(server.requests.count == 1)
    }

    @Test func `a request that is cancelled only while the test ends is among what it recorded`() async throws {
        let server = try LoopbackServer()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("trait-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let settings = TestSettings(
            name: "recorded",
            directory: .init(path: directory),
            recordMode: .recording,
            environment: [:]
        )
        let test = try #require(Test.current)
        let texts = Lock<[String]>([])
        try await withKnownIssue {
            try await StubbedTrait(settings: settings).provideScope(for: test, testCase: nil) {
                let task = StubbornNetwork.current.session.dataTask(with: server.url("/hang"))
                task.resume()
                _ = try await comesToHold { server.requests.count == 1 }
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { task.cancel() }
            }
        } matching: { issue in
            texts.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }
        let text = texts.withLock { $0.first }
        #expect(text?.contains("  GET \(server.url("/hang")): cancelled by the client") == true, "\(text ?? "none")")
    }

    @Test func `a test that ends before a request which it records fails, and names the request`() async throws {
        let server = try LoopbackServer()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("trait-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let settings = TestSettings(
            name: "recorded",
            directory: .init(path: directory),
            recordMode: .recording,
            failsOn: .unstubbed,
            environment: [:]
        )
        let test = try #require(Test.current)
        let (texts, running) = (Lock<[String]>([]), Lock<URLSessionTask?>(nil))
        try await withKnownIssue {
            try await StubbedTrait(settings: settings).provideScope(for: test, testCase: nil) {
                let task = StubbornNetwork.current.session.dataTask(with: server.url("/hang"))
                running.withLock { $0 = task }
                task.resume()
                _ = try await comesToHold { server.requests.count == 1 }
            }
        } matching: { issue in
            texts.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }
        running.withLock { $0 }?.cancel()
        #expect(
            texts.withLock { $0 } == [
                """
                The test ended while these requests were still being recorded:
                  GET \(server.url("/hang"))
                Await or cancel them in the test. Their responses may be stored after this report.
                """
            ]
        )
    }

    @Test(arguments: ["recorded"])
    func `cases that share a file keep each other's stubs when they are recorded`(name: String) async throws {
        let server = try LoopbackServer()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("trait-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let settings = TestSettings(
            name: name,
            directory: .init(path: directory.path),
            recordMode: .recording,
            failsOn: .unstubbed,
            environment: [:]
        )
        let test = try #require(Test.current)
        for path in ["/sequence/one", "/sequence/two", "/sequence/one"] {
            try await StubbedTrait(settings: settings).provideScope(for: test, testCase: Test.Case.current) {
                _ = try await StubbornNetwork.current.session.data(from: server.url(path))
            }
        }
        let content = try Data(contentsOf: directory.appendingPathComponent("\(name).json"))
        let stubs = try #require(JSONSerialization.jsonObject(with: content) as? [[String: Any]])
        let data = stubs.compactMap { ($0["data"] as? String).flatMap { Data(base64Encoded: $0) } }
        #expect(data.map { String(decoding: $0, as: UTF8.self) } == ["1", "1", "2"])
    }

    @Test func `a test that ends while a request is still being decided on fails, and names the request`() async throws
    {
        let server = try LoopbackServer()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("trait-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await record(server, into: directory, passes: true)
        // The decision takes as long as the matcher.
        let (isAsked, mayDecide) = (Lock(false), Lock(false))
        let matcher = RequestMatcher.custom { _, _ in
            isAsked.withLock { $0 = true }
            while !mayDecide.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.005) }
            return false
        }
        let settings = TestSettings(
            name: "recorded",
            directory: .init(path: directory),
            recordMode: .recordingMissing,
            matching: [matcher],
            failsOn: .unstubbed,
            environment: [:]
        )
        let test = try #require(Test.current)
        let texts = Lock<[String]>([])
        try await withKnownIssue {
            try await StubbedTrait(settings: settings).provideScope(for: test, testCase: nil) {
                let network = StubbornNetwork.current
                let request = URLRequest(url: server.url("/hello"))
                // Not through a session: on Linux all of them share one queue, which would be held up.
                Thread.detachNewThread { _ = try? network.response(to: request) }
                _ = try await comesToHold { isAsked.withLock { $0 } }
            }
        } matching: { issue in
            texts.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }
        mayDecide.withLock { $0 = true }
        let start = "The test ended while these requests were still being recorded:\n  GET \(server.url("/hello"))\n"
        #expect(texts.withLock { $0.map { $0.hasPrefix(start) } } == [true])
    }

    @Test func `nothing is recorded into a bundle`() async throws {
        let test = try #require(Test.current)
        let trait = StubbedTrait(
            settings: TestSettings(
                directory: .init(path: "/bundle/Stubs", isInBundle: true),
                recordMode: .recordingMissing,
                environment: [:]
            )
        )
        let error = await #expect(throws: StubbornNetworkError.self) {
            try await trait.provideScope(for: test, testCase: nil) {}
        }
        #expect(error?.message.hasPrefix("Stubs cannot be recorded into /bundle/Stubs: a bundle is a copy") == true)
    }

    @Test(
        .stubbed(named: "StubbedTraitTests_login", in: Bundle(for: Anchor.self)) {
            $0.stub(.any, with: .text("declared"))
        }
    )
    func `options and a closure can be combined`() async throws {
        #expect(try await text() == "declared")
    }

    private final class Anchor {}

    // MARK: URLSession.shared

    @Test(.stubbed(sharedSession: true) { $0.stub(.any, with: .text("mine")) }, arguments: 0..<30)
    func `each test has its own stubs for the shared session`(number: Int) async throws {
        StubbornNetwork.current.stub(.any, with: .text("\(number)"))
        for _ in 0..<5 {
            let (data, _) = try await URLSession.shared.data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "\(number)")
            await Task.yield()
        }
    }

    @Test func `tests with the shared session run one at a time where requests have no task`() async throws {
        let queue = SharedSessionQueue()
        let inside = Lock(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await queue.runAlone {
                        #expect(
                            inside.withLock {
                                $0 += 1; return $0
                            } == 1
                        )
                        await Task.yield()
                        inside.withLock { $0 -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(inside.withLock { $0 } == 0)
    }

    @Test func `tests with the shared session run in the order of their calls`() async throws {
        let started = Lock<[Int]>([])
        try await SharedSessionQueue().runAlone(20) { number in
            started.withLock { $0.append(number) }
            await Task.yield()
        }
        #expect(started.withLock { $0 } == Array(0..<20))
    }

    @Test func `a test with the shared session that throws lets the next one run`() async throws {
        let queue = SharedSessionQueue()
        for _ in 0..<3 {
            await #expect(throws: URLError.self) { try await queue.runAlone { throw URLError(.unknown) } }
        }
        let isRun = Lock(false)
        try await queue.runAlone { isRun.withLock { $0 = true } }
        #expect(isRun.withLock { $0 })
    }

    @Test(arguments: [true, false])
    func `the stubs of a bundle are in its folder Stubs, or between its resources`(hasFolder: Bool) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).bundle")
        let stubs = directory.appendingPathComponent("Stubs")
        try FileManager.default.createDirectory(at: hasFolder ? stubs : directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let bundle = try #require(Bundle(path: directory.path))
        let found = TestSettings.Directory.resources(of: bundle)
        #expect(found.isInBundle)
        #expect(found.path == (hasFolder ? stubs : bundle.resourceURL ?? directory).path)
    }

    @Test func `a repeated unstubbed request fails the test once`() async throws {
        let test = try #require(Test.current)
        let issues = Lock(0)
        try await withKnownIssue {
            try await StubbedTrait(settings: TestSettings(name: "nothing")).provideScope(for: test, testCase: nil) {
                for _ in 0..<3 { _ = try? await StubbornNetwork.current.session.data(from: url) }
            }
        } matching: { issue in
            issues.withLock { $0 += 1 }
            return issue.comments.first?.rawValue.hasSuffix("(3 times)") == true
        }
        #expect(issues.withLock { $0 } == 1)
    }
}

extension SharedSessionQueue {
    /// Runs `body` alone in each of several tasks, which all call from this actor, one after the other.
    fileprivate func runAlone(_ count: Int, _ body: @escaping @Sendable (Int) async -> Void) async throws {
        let tasks = (0..<count).map { number in Task { try await runAlone { await body(number) } } }
        for task in tasks { try await task.value }
    }
}

extension StubbedTraitTests {
    @Test(.stubbed(matching: .strict, order: .stateful, failsOn: []))
    func `a report names the trait that made a setting`() {
        let network = StubbornNetwork.current
        let line = #line - 2
        let error = #expect(throws: StubbornNetworkError.self) {
            try network.response(to: URLRequest(url: URL(string: "https://api.example.com/nothing")!))
        }
        let report = error?.report
        let rules = network.engine.settings.current.rules
        #expect(rules.$matchers.origin == "set by .stubbed(matching:) at StubbedTraitTests.swift:\(line)")
        #expect(rules.$order.origin == "set by .stubbed(order:) at StubbedTraitTests.swift:\(line)")
        #expect(report?.description.contains("Mode") == false)
        #expect(
            report?.fixes.first?.code
                == "STUB_RECORD_MODE=recording-missing swift test --filter StubbedTraitTests..a.report.names.the.trait.that.made.a.setting."
        )
    }
}
