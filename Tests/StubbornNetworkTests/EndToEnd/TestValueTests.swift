import Foundation
import LoopbackServer
@_spi(Tools) import StubbornNetworkTooling
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// Values that a test makes: `network.value("order") { UUID() }`.
@Suite(.timeLimit(.minutes(5)))
struct TestValueTests {
    private let directory = TemporaryDirectory()
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in .text("you asked for \(request.path)") }
    }

    private func network(
        _ mode: RecordMode,
        _ name: String = "a",
        sharing shared: [String] = [],
        environment: [String: String] = .newRun
    ) -> StubbornNetwork {
        let network = StubbornNetwork(
            .persistent(named: name, in: directory.path, sharing: shared),
            environment: environment
        )
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private func order(_ network: StubbornNetwork) async throws -> UUID {
        let id = network.value("order") { UUID() }
        _ = try await network.session.data(from: server.url("/orders/\(id)"))
        return id
    }

    @discardableResult
    private func record(_ mode: RecordMode = .recording) async throws -> UUID {
        let network = network(mode)
        let id = try await order(network)
        try network.finishRecording()
        return id
    }

    private func values(in name: String = "a.json") throws -> [String?] {
        try StubFile(contentsOf: directory.file(name)).stubs.map { stub in
            stub.valueName.map { name in
                "\(name) \(String(decoding: stub.response.body ?? Data(), as: UTF8.self))"
            }
        }
    }

    @Test func `a value that was made in another mode is not kept`() async throws {
        let id = try await record()
        let network = network(.live)
        let made = network.value("order") { UUID() }
        #expect(made != id && network.value("order") { UUID() } == made)
        network.recordMode = .playback
        #expect(network.value("order") { UUID() } == id)
    }

    @Test func `a value that is made when recording is the same on playback, and its request matches`() async throws {
        let id = try await record()
        server.stop()
        let playback = network(.playback)
        #expect(try await order(playback) == id)
        #expect(playback.unstubbedRequests.isEmpty && playback.unusedStubs.isEmpty)
    }

    @Test func `each recording makes its values once`() throws {
        let network = network(.recording)
        let made = (1...2).map { number in network.value("number") { number } }
        try network.finishRecording()
        let next = network.value("number") { 3 }
        #expect(made + [next] == [1, 1, 3])
    }

    @Test func `the stub file has the value as JSON for people`() async throws {
        let network = network(.recording)
        network.redaction = .none
        struct Order: Codable { var count: Int, name: String?, day: Date }
        let day = Date(timeIntervalSince1970: 1_795_330_000.0625)
        _ = network.value("an \"order\" ü") { Order(count: 3, name: "a/b", day: day) }
        _ = network.value("count") { 7 }
        _ = network.value("nothing") { String?.none }
        try network.finishRecording()
        #expect(
            try directory.text(of: "a.json") == """
                [
                  {
                    "json" : {
                      "count" : 3,
                      "day" : "2026-11-22T06:46:40.063Z",
                      "name" : "a/b"
                    },
                    "recordedAt" : "1970-01-01T00:00:00Z",
                    "value" : "an \\"order\\" ü"
                  },
                  {
                    "json" : 7,
                    "recordedAt" : "1970-01-01T00:00:00Z",
                    "value" : "count"
                  },
                  {
                    "json" : null,
                    "recordedAt" : "1970-01-01T00:00:00Z",
                    "value" : "nothing"
                  }
                ]

                """
        )
        let playback = self.network(.playback)
        #expect(playback.value("count") { 0 } == 7)
        #expect(playback.value("nothing") { "something" as String? } == nil)
        #expect(playback.unstubbedRequests.isEmpty)
    }

    private struct Refused: Error {}

    private actor Model {
        private(set) var calls = 0
        private var failures: Int

        init(failures: Int = 0) { self.failures = failures }

        func answer(_ prompt: String) async throws -> [String: String] {
            calls += 1
            failures -= 1
            if failures >= 0 { throw URLError(.timedOut) }
            return [prompt: "answer \(calls)"]
        }

        /// Asks itself, on its own executor.
        func ask(_ network: StubbornNetwork) async throws -> [String: String] {
            try await network.value("forecast") { try await self.answer("rain?") }
        }
    }

    @Test func `an asynchronous call is made once, and its value is played`() async throws {
        let model = Model()
        for mode in [RecordMode.recording, .playback, .recordingMissing] {
            let network = network(mode)
            #expect(try await model.ask(network) == ["rain?": "answer 1"])
            #expect(try await network.value("forecast") { try await model.answer("?") } == ["rain?": "answer 1"])
            try network.finishRecording()
            #expect(network.unstubbedRequests.isEmpty)
        }
        #expect(await model.calls == 1)
        #expect(try await model.ask(network(.live)) == ["rain?": "answer 2"])
    }

    @Test func `errors of an asynchronous call are played one after the other, and then the value`() async throws {
        let recorded = Model(failures: 2)
        for (mode, model) in [(RecordMode.recording, recorded), (.playback, Model()), (.recordingMissing, Model())] {
            let network = network(mode)
            for _ in 1...2 {
                await #expect(throws: URLError(.timedOut)) { try await model.ask(network) }
            }
            #expect(try await model.ask(network) == ["rain?": "answer 3"])
            try network.finishRecording()
            #expect(network.unstubbedRequests.isEmpty && network.unusedStubs.isEmpty)
        }
        #expect(await recorded.calls == 3)
        #expect(try values() == ["forecast ", "forecast ", #"forecast {"rain?":"answer 3"}"#])
    }

    @Test func `an error that nobody else has is played with its domain, code and text`() async throws {
        let recording = network(.recording)
        await #expect(throws: Refused.self) {
            try await recording.value("it") { () async throws -> Int in throw Refused() }
        }
        try recording.finishRecording()
        let playback = network(.playback)
        let error = await #expect(throws: (any Error).self) {
            try await playback.value("it") { () async throws -> Int in 3 }
        }
        let played = try #require(error) as NSError
        #expect(played.domain == (Refused() as NSError).domain && played.code == (Refused() as NSError).code)
    }

    @Test func `a call that is cancelled leaves nothing behind`() async throws {
        let recording = network(.recording)
        await #expect(throws: CancellationError.self) {
            try await recording.value("it") { () async throws -> Int in throw CancellationError() }
        }
        #expect(try await recording.value("it") { () async throws -> Int in 3 } == 3)
        try recording.finishRecording()
        #expect(try values() == ["it 3"])
    }

    @Test func `an error with a secret is not recorded`() async throws {
        let recording = network(.recording)
        let secret = "ghp_1234567890abcdefghijABCDEFGHIJ123456"
        let error = NSError(domain: "Model", code: 1, userInfo: [NSLocalizedDescriptionKey: "\(secret) is not valid"])
        await #expect(throws: (any Error).self) {
            try await recording.value("it") { () async throws -> Int in throw error }
        }
        #expect(throws: StubbornNetworkError.self) { try recording.finishRecording() }
        #expect(!directory.contents.contains("a.json"))
    }

    @Test func `every type gets on playback what it got when it was recorded`() throws {
        func check<Value: Codable & Equatable>(_ value: Value) throws {
            let recording = network(.recording, "\(Value.self)")
            let recorded = recording.value("it") { value }
            try recording.finishRecording()
            let playback = network(.playback, "\(Value.self)")
            #expect(playback.value("it") { value } == recorded)
            #expect(playback.unstubbedRequests.isEmpty)
            if !(value is Date) { #expect(recorded == value) }
        }
        try check(UUID())
        try check(Int.min)
        try check(UInt64.max)
        try check(0.1 + 0.2)
        try check("line\n\"quoted\" \u{0} 😀")
        try check("")
        try check(true)
        try check(Data([0, 255, 1]))
        try check(try #require(URL(string: "https://a.example/ä?b=c")))
        try check(["b": [1, 2], "a": []])
        try check(Date())
        try check(Date.distantPast)
        try check(Date(timeIntervalSince1970: 1e15))
    }

    @Test func `a date keeps its milliseconds, also before 1970`() {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.recordMode = .recording
        for seconds in [0, 0.001, 1_795_330_000.25, -0.75, -1_000.001] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(abs(network.value("\(seconds)") { date }.timeIntervalSince(date)) < 0.000_01)
        }
    }

    @Test func `recording again makes a new value, and adding to the file keeps the old one`() async throws {
        let first = try await record()
        #expect(try await record(.recordingMissing) == first)
        #expect(try await record(.recordingOnce) == first)
        #expect(try await record(.verifying) == first)
        let file = try directory.text(of: "a.json")
        let live = try await record(.live)
        #expect(live != first)
        #expect(try directory.text(of: "a.json") == file)
        let second = try await record()
        #expect(second != first)
        #expect(try values() == ["order \"\(second)\"", nil])
    }

    @Test func `the same value recorded again gives the same bytes`() throws {
        func record(_ count: Int, at time: String) throws -> String {
            let network = network(.recording, environment: ["XCODE_RUNNING_FOR_PREVIEWS": "1"])
            network.engine.settings.withLock { $0.clock = { [date = UTCDate.date(of: time)!] in date } }
            _ = network.value("count") { count }
            try network.finishRecording()
            return try directory.text(of: "a.json")
        }
        let first = try record(1, at: "2026-11-22T15:04:05Z")
        #expect(try record(1, at: "2026-11-23T15:04:05Z") == first)
        #expect(try record(2, at: "2026-11-24T15:04:05Z").contains("2026-11-24"))
    }

    @Test func `a name gives one value in a run`() async throws {
        for mode in [RecordMode.recording, .recordingMissing, .recordingOnce, .live, .playback] {
            let network = network(mode, "\(mode)")
            let first = network.value("id") { UUID() }
            #expect(network.value("id") { UUID() } == first, "\(mode)")
            #expect(network.value("other") { UUID() } != first, "\(mode)")
        }
    }

    @Test func `threads that ask for a name at the same time get one value`() async throws {
        let network = network(.recording)
        let values = await withTaskGroup(of: UUID.self) { group in
            for _ in 0..<64 { group.addTask { network.value("id") { UUID() } } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(values.count == 1)
        try network.finishRecording()
        #expect(try self.values().count == 1)
    }

    @Test func `a value may be made with another one`() throws {
        let network = network(.recording)
        #expect(network.value("a") { network.value("b") { 1 } + 1 } == 2)
    }

    @Test func `a recorded error is thrown by a closure that can throw it, and named where it cannot`() throws {
        let recording = network(.recording)
        for _ in 0..<2 {
            let error = #expect(throws: URLError.self) {
                try recording.value("id") { () throws -> Int in throw URLError(.timedOut) }
            }
            #expect(error?.code == .timedOut)
        }
        try recording.finishRecording()
        let playback = network(.playback)
        for _ in 0..<2 {
            let error = #expect(throws: URLError.self) { try playback.value("id") { () throws -> Int in 1 } }
            #expect(error?.code == .timedOut)
        }
        #expect(playback.value("id") { 2 } == 2)
        #expect(playback.unstubbedRequests.isEmpty)
        let error = #expect(throws: StubbornNetworkError.self) { try playback.finishRecording() }
        #expect(error?.message.contains("is an error, which this closure cannot throw: ") == true)
    }

    @Test func `a value is asked for in the same order as requests, and is no exchange`() async throws {
        let recording = network(.recording)
        _ = try await order(recording)
        try recording.finishRecording()
        #expect(recording.exchanges.count == 1)
        #expect(recording.recordedStubs.map(\.request.method) == ["VALUE", "GET"])
    }

    @Test func `a declared stub for any request, and a body processor, change no value`() throws {
        struct Processor: BodyDataProcessor {
            func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data? { Data() }
            func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data? { Data() }
            func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data? { Data() }
        }
        for mode in [RecordMode.recording, .playback] {
            let network = network(mode)
            network.stub(.any, with: .status(500))
            network.bodyDataProcessor = Processor()
            #expect(network.value("id") { mode == .recording ? 1 : 2 } == 1)
            try network.finishRecording()
        }
    }

    @Test func `a cancellation of the closure is thrown, and not recorded`() throws {
        let network = network(.recording)
        #expect(throws: CancellationError.self) {
            try network.value("id") { () throws -> Int in throw CancellationError() }
        }
        #expect(network.value("id") { 1 } == 1)
    }

    @Test func `a later launch of a run gets the value of an earlier one`() async throws {
        let environment = ["STUB_RUN": directory.file("run").path]
        let first = network(.recording, environment: environment)
        let id = try await order(first)
        let second = network(.recording, environment: environment)
        #expect(try await order(second) == id)
        try second.finishRecording()
        try first.finishRecording()
        #expect(try values().compactMap(\.self) == ["order \"\(id)\""])
    }

    @Test func `a shared file gives its values in every mode but live, and they are not recorded again`() async throws {
        let id = try await record()
        for mode in [RecordMode.playback, .recording, .recordingMissing, .recordingOnce, .verifying] {
            let network = network(mode, "\(mode)", sharing: ["a"])
            #expect(network.value("order") { UUID() } == id, "\(mode)")
            try network.finishRecording()
            #expect(!directory.contents.contains("\(mode).json"))
        }
        #expect(network(.live, "live", sharing: ["a"]).value("order") { UUID() } != id)
    }

    // MARK: Reports

    @Test func `a value that is missing on playback is reported with the command that records it`() async throws {
        try await record()
        let network = network(.playback)
        let reports = Lock<[String]>([])
        network.onUnstubbedRequest = { report in reports.withLock { $0.append(report.description) } }
        let file = try #require(network.stubFile?.relativeDisplayPath)
        for _ in 0..<2 { _ = network.value("customer") { UUID() } }
        #expect(
            reports.withLock { $0 } == [
                """
                No stub has the value "customer" (playback, \(file), 2 stubs). The network was not touched.
                Mode playback (set in code).
                To record it:  STUB_RECORD_MODE=recording-missing swift test
                """
            ]
        )
        #expect(network.unstubbedRequests.map(\.description) == [#"value "customer""#])
        #expect(network.unusedStubReports.count == 2)
    }

    @Test func `a value is missing where there is no directory`() {
        let network = network(.playback)
        let causes = Lock<[UnstubbedRequestReport.Cause]>([])
        network.onUnstubbedRequest = { report in causes.withLock { $0.append(report.cause) } }
        _ = network.value("customer") { UUID() }
        #expect(causes.withLock { $0 } == [.noStubFile])
    }

    @Test func `a value that no test asked for is an unused stub`() async throws {
        let id = try await record()
        let network = network(.playback)
        try network.loadStubs()
        let file = try #require(network.stubFile?.relativeDisplayPath)
        #expect(network.unusedStubs.first?.description == "value \"order\": \"\(id)\"")
        #expect(
            network.unusedStubReports.first?.description.split(separator: "\n").first
                == "No request used stub 1, value \"order\" (\(file):2)."
        )
    }

    @Test func `a value of another type is an error that names the file and the line`() async throws {
        let id = try await record()
        let network = network(.playback)
        #expect(network.value("order") { 5 } == 5)
        let file = try #require(network.stubFile?.relativeDisplayPath)
        let error = #expect(throws: StubbornNetworkError.self) { try network.finishRecording() }
        #expect(
            error?.message == """
                The value "order" (\(file):2) is "\(id)", which is not of the type Int.
                To record the test again:  STUB_RECORD_MODE=recording swift test
                """
        )
    }

    @Test func `a value that JSON cannot hold is returned, and the end of the recording says that it is missing`() {
        let network = network(.recording)
        #expect(network.value("number") { Double.infinity } == .infinity)
        let error = #expect(throws: StubbornNetworkError.self) { try network.finishRecording() }
        #expect(
            error?.message.hasPrefix("The value \"number\" was not recorded: this Double cannot be written as JSON")
                == true
        )
    }

    @Test func `a value of a file that cannot be read is made, and the end of the test says why`() throws {
        try directory.write("[ {", to: "a.json")
        let network = network(.playback)
        #expect(network.value("number") { 1 } == 1)
        #expect(throws: StubbornNetworkError.self) { try network.finishRecording() }
    }

    // MARK: Other stubs

    @Test func `a value answers no request, whatever the matchers`() async throws {
        try await record()
        for matchers in [[], [.path], [.custom { _, _ in true }]] as [RequestMatcherOptions] {
            let network = network(.playback)
            network.requestMatcherOptions = matchers
            for path in ["/order", "/orders/1"] {
                let data = try? network.response(to: URLRequest(url: server.url(path))).0
                #expect(data.map { String(decoding: $0, as: UTF8.self).hasPrefix("\"") } != true)
            }
        }
    }

    @Test func `a recording with any matchers keeps values and stubs apart`() async throws {
        for _ in 0..<2 {
            let network = network(.recording)
            network.requestMatcherOptions = []
            _ = try await order(network)
            _ = network.value("other") { 1 }
            try network.finishRecording()
            #expect(try values().map { $0?.prefix(5) } == ["order", nil, "other"])
        }
    }

    @Test func `a value that a request carries as a password is kept, and the password is not`() async throws {
        let recording = network(.recording)
        func login(_ network: StubbornNetwork) async throws {
            var request = URLRequest(url: server.url("/login"))
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            let password = network.value("password") { UUID().uuidString }
            request.httpBody = try JSONEncoder().encode(["password": password])
            _ = try await network.session.data(for: request)
        }
        try await login(recording)
        try recording.finishRecording()
        let stubs = try StubFile(contentsOf: directory.file("a.json")).stubs
        let password = try #require(stubs.first?.response.body?.filter { $0 != UInt8(ascii: "\"") })
        #expect(stubs.map(\.valueName) == ["password", nil])
        #expect(stubs.last?.request.body?.range(of: password) == nil)
        server.stop()
        let playback = network(.playback)
        try await login(playback)
        #expect(playback.unstubbedRequests.isEmpty)
    }

    @Test func `a known secret is not stored as a value`() throws {
        let network = network(.recording)
        network.redaction = .standard.including(values: ["correct-horse-battery"])
        _ = network.value("key") { "correct-horse-battery" }
        let error = #expect(throws: StubbornNetworkError.self) { try network.finishRecording() }
        #expect(error?.code == .secretInRecording)
        #expect(error?.message.contains("correct-horse") == false)
        #expect(!directory.contents.contains("a.json"))
    }

    @Test func `a random id is not listed among what looks like a secret`() async throws {
        let network = network(.recording)
        _ = network.value("id") { "x7Gq2LmZp0RtVb8KcYw4NsJd6HfQe1Ua" }
        try network.finishRecording()
        #expect(network.redactionReport.description == "")
    }

    @Test func `a run whose server does not answer stores nothing, and a run without requests its values`() async throws
    {
        server.stop()
        let failed = network(.recordingMissing)
        _ = try? await order(failed)
        try failed.finishRecording()
        #expect(!directory.contents.contains("a.json"))
        let quiet = network(.recordingMissing)
        _ = quiet.value("id") { 1 }
        try quiet.finishRecording()
        #expect(try values() == ["id 1"])
    }

    @Test func `a run without requests does not remove the stubs of the file`() async throws {
        try await record()
        let network = network(.recording)
        _ = network.value("order") { UUID() }
        try network.finishRecording()
        #expect(try values().count == 2)
    }

    @Test func `a value is kept in another body encoding, and with its comment`() async throws {
        try await record()
        let text = try directory.text(of: "a.json").replacingOccurrences(
            of: "\"value\"",
            with: "\"comment\" : \"mine\",\n    \"value\""
        )
        try directory.write(text, to: "a.json")
        var file = try StubFile(contentsOf: directory.file("a.json"))
        for encoding in [BodyEncoding.readable, .base64] { file.convert(to: encoding) }
        file.format()
        let formatted = String(decoding: file.text(ofStubAt: 0), as: UTF8.self)
        #expect(text.contains(formatted))
    }

    @Test(arguments: [
        #"{ "value" : "a", "request" : { "method" : "GET", "url" : "https://a.test/" } }"#,
        #"{ "value" : "a", "json" : 1, "response" : { "statusCode" : 200 } }"#,
        #"{ "value" : "a", "data" : "YQ==" }"#, #"{ "value" : "a", "text" : "a" }"#,
        #"{ "value" : "a", "json" : 1, "error" : { "domain" : "d", "code" : 1 } }"#,
        #"{ "value" : "a", "timing" : { "firstByte" : 1 } }"#,
    ])
    func `a value with the keys of a stub is an error`(entry: String) throws {
        try directory.write("[ \(entry) ]", to: "a.json")
        let error = #expect(throws: StubbornNetworkError.self) { try StubFile(contentsOf: directory.file("a.json")) }
        #expect(error?.message.contains("\"value\" with \"json\"") == true)
    }
}
