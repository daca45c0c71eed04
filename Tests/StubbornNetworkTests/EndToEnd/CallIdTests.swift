import Foundation
import LoopbackServer
@_spi(Tools) import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

/// Ids that a client makes up for each request, and that it looks for in the response.
@Suite(.timeLimit(.minutes(5)))
struct CallIdTests {
    private let directory = TemporaryDirectory()
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(handler: CallServer.answer)
    }

    private func network(_ mode: RecordMode, _ prepare: (StubbornNetwork) -> Void = Self.ignoringIds) -> StubbornNetwork
    {
        let network = StubbornNetwork(.persistent(name: "calls", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.bodyEncoding = .readable
        network.onUnstubbedRequest = { _ in }
        prepare(network)
        return network
    }

    private static func ignoringIds(_ network: StubbornNetwork) {
        network.requestMatcherOptions = [
            .httpMethod, .url, .requestBody(ignoringJSONKeyPaths: ["id", "params._meta.progressToken"]),
        ]
    }

    private func client(_ network: StubbornNetwork) -> CallClient {
        CallClient(session: network.session, url: server.url("/mcp"))
    }

    /// Records calls with one set of ids, and makes them again with others after the server has gone.
    private func recordAndPlay<Result: Equatable & Sendable>(
        _ prepare: (StubbornNetwork) -> Void = Self.ignoringIds,
        ids: [String] = ["7", #""5f1c2f0e-8a53-4a3b-9a58-1f6f6b3f7a10""#],
        _ calls: (CallClient, _ id: String) async throws -> Result
    ) async throws {
        let recording = network(.recording, prepare)
        let recorded = try await calls(client(recording), ids[0])
        try recording.finishRecording()
        server.stop()
        for id in ids { #expect(try await calls(client(network(.playback, prepare)), id) == recorded) }
    }

    @Test(arguments: ["0", "12345678901234567890", "1.5", #""abc""#, #""\u00e4 \"quoted\"""#])
    func `a call gets the response with its own id`(_ id: String) async throws {
        try await recordAndPlay(ids: [id, "7", #""7""#, #""5f1c2f0e-8a53-4a3b-9a58-1f6f6b3f7a10""#]) { client, id in
            try await client.call("add", id: id)
        }
    }

    @Test func `a conversation with a tool server plays with other ids`() async throws {
        try await recordAndPlay { client, id in
            var results = [try await client.call("initialize", id: id)]
            try await client.notify("notifications/initialized")
            results.append(try await client.call("tools/list", id: id.other))
            results.append(try await client.call("stream", id: id))
            return results
        }
    }

    @Test func `each call of a batch gets its own id, in whatever order the server answers`() async throws {
        try await recordAndPlay { client, id in
            try await client.batch([("add", id), ("tools/list", id.other)])
        }
    }

    // The result has members that are called id, with the same number or the same text.
    @Test(arguments: [("sevens", ["7", "8"]), ("order", [#""\#(CallServer.order)""#, "8"])])
    func `the id is given back where it is the id of the response, and nowhere else`(
        method: String,
        ids: [String]
    ) async throws {
        try await recordAndPlay(ids: ids) { client, id in try await client.call(method, id: id) }
    }

    @Test func `calls at once that share one stub get their own ids`() async throws {
        let recording = network(.recording)
        let result = try await client(recording).call("add", id: "1")
        try recording.finishRecording()
        server.stop()
        let client = client(network(.playback))
        try await withThrowingTaskGroup(of: String.self) { group in
            for id in 2...20 { group.addTask { try await client.call("add", id: "\(id)") } }
            for try await played in group { #expect(played == result) }
        }
    }

    @Test func `the id is given back where the matchers leave out the whole body`() async throws {
        try await recordAndPlay({ $0.requestMatcherOptions = .lenient }) { client, id in
            try await client.call("add", id: id)
        }
    }

    @Test func `an error without an id stays without one`() async throws {
        let recording = network(.recording)
        let sent = #"{"jsonrpc":"2.0","id":1,"method":"broken"}"#
        let recorded = try await client(recording).post(sent)
        try recording.finishRecording()
        server.stop()
        let played = try await client(network(.playback)).post(sent.replacingOccurrences(of: ":1", with: ":2"))
        #expect(played == recorded)
        #expect(played.contains(#""id":null"#))
    }

    @Test func `a member that the matchers ignore is given back in other JSON too`() async throws {
        let ignoring: (StubbornNetwork) -> Void = {
            $0.requestMatcherOptions = [
                .httpMethod, .url, .requestBody(ignoringJSONKeyPaths: ["meta.requestId", "page"]),
            ]
        }
        let recording = network(.recording, ignoring)
        let sent = { (id: String, page: Int) in #"{"echo":true,"meta":{"requestId":"\#(id)"},"page":\#(page)}"# }
        let (first, second) = ("5f1c2f0e-8a53-4a3b-9a58-1f6f6b3f7a10", "0b9e7c44-1d2f-4f0e-b7a3-93c1d2a4e5f6")
        _ = try await client(recording).post(sent(first, 3))
        try recording.finishRecording()
        server.stop()
        let played = try await client(network(.playback, ignoring)).post(sent(second, 4))
        // The page of an item is 3 by coincidence.
        #expect(played == #"{"items":[{"page":3}],"page":4,"status":{"requestId":"\#(second)"}}"#)
    }

    @Test func `an id in a header field is given back`() async throws {
        let recording = network(.recording) { _ in }
        let recorded = try await client(recording).header("X-Request-ID", "one")
        try recording.finishRecording()
        server.stop()
        #expect(recorded == ["one", "application/json"])
        let played = try await client(network(.playback) { _ in }).header("X-Request-ID", "two")
        #expect(played == ["two", "application/json"])
    }

    @Test func `a header field that the matchers ignore is given back, and no other one`() async throws {
        let recording = network(.recording) { _ in }
        _ = try await client(recording).header("X-Call", "one")
        try recording.finishRecording()
        server.stop()
        #expect(try await client(network(.playback) { _ in }).header("X-Call", "two") == ["one", "application/json"])
        let ignoring: (StubbornNetwork) -> Void = {
            $0.requestMatcherOptions = [.httpMethod, .url, .headers(ignoring: ["x-call"]), .requestBody]
        }
        #expect(try await client(network(.playback, ignoring)).header("X-Call", "two") == ["two", "application/json"])
        try directory.write(#"{ "matching" : { "ignoredHeaders" : [ "X-Call" ] } }"#, to: ".stubborn.json")
        #expect(try await client(network(.playback) { _ in }).header("X-Call", "two") == ["two", "application/json"])
    }

    @Test func `recorded parts keep their bounds when an id is longer`() async throws {
        let timed: (StubbornNetwork) -> Void = { network in
            Self.ignoringIds(network)
            network.recordsTiming = true
            network.playbackSpeed = .delays(scaledBy: 0.001)
        }
        let recording = network(.recording, timed)
        _ = try await client(recording).call("stream", id: "1")
        try recording.finishRecording()
        server.stop()
        let delegate = ClientDelegate()
        let playing = network(.playback, timed)
        let request = client(playing).request(CallClient.text("stream", id: "123456789"))
        playing.makeSession(delegate: delegate).dataTask(with: request).resume()
        try await eventually { delegate.log.ends == 1 }
        #expect(delegate.log.parts.count == 2)
        #expect(delegate.log.parts.allSatisfy { String(decoding: $0, as: UTF8.self).hasSuffix("}\n\n") })
    }

    @Test func `recording again with other ids changes nothing`() async throws {
        for id in ["1", #""5f1c2f0e-8a53-4a3b-9a58-1f6f6b3f7a10""#] {
            let before = try? directory.text(of: "calls.json")
            let recording = network(.recording)
            _ = try await client(recording).call("add", id: id)
            _ = try await client(recording).call("stream", id: id)
            try recording.finishRecording()
            if let before { #expect(try directory.text(of: "calls.json") == before) }
        }
    }

    @Test func `a call that has changed on the server is recorded again, with its id`() async throws {
        for (id, answer) in [("1", "old"), (#""another""#, "new")] {
            let recording = network(.recording)
            _ = try await client(recording).header("X-Answer", answer, id: id)
            try recording.finishRecording()
        }
        let stub = try #require(try StubFile(contentsOf: directory.file("calls.json")).stubs.first)
        #expect(stub.request.body.map { String(decoding: $0, as: UTF8.self) }?.contains(#""id":"another""#) == true)
        #expect(stub.response.bytes == Data(#"{"jsonrpc":"2.0","id":"another","result":"new"}"#.utf8))
    }

    @Test func `the report says that the id is given back`() async throws {
        let recording = network(.recording) { _ in }
        _ = try await client(recording).call("add", id: "1")
        try recording.finishRecording()
        let playing = network(.playback) { _ in }
        _ = try? await client(playing).call("add", id: "2")
        let report = Lock<UnstubbedRequestReport?>(nil)
        playing.onUnstubbedRequest = { made in report.withLock { $0 = made } }
        _ = try? await client(playing).call("add", id: "3")
        let fixes = try #require(report.withLock { $0 }?.fixes)
        let fix = try #require(fixes.first { $0.purpose == "To ignore it, and return the new value in the response" })
        #expect(fix.code.hasSuffix(#".requestBody(ignoringJSONKeyPaths: ["id", "params._meta.progressToken"])]"#))
    }
}

extension String {
    /// An id of the same kind that is not the same.
    fileprivate var other: String { hasPrefix("\"") ? "\"b\(dropFirst())" : "1\(self)" }
}

/// A client of JSON-RPC that takes a response only if it has the id that it has sent, as those of tool servers do.
private struct CallClient: Sendable {
    let session: URLSession
    let url: URL

    /// No message of the response has the id that was sent.
    struct NoResponse: Error {
        let sent: String
        let received: [String]
    }

    static func text(_ method: String, id: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":{"_meta":{"progressToken":\#(id)}}}"#
    }

    func request(_ body: String) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json, text/event-stream", forHTTPHeaderField: "Accept")
        request.httpBody = Data(body.utf8)
        return request
    }

    func post(_ body: String) async throws -> String {
        String(decoding: try await session.data(for: request(body)).0, as: UTF8.self)
    }

    /// Returns the results of the messages with an id, which are those of the response's or of its events.
    private func results(_ body: String) async throws -> [JSONValue: String] {
        let text = try await post(body)
        let messages = text.hasPrefix("event:") || text.hasPrefix("data:") ? text.eventData : [text]
        var results: [JSONValue: String] = [:]
        for message in messages {
            let value = try #require(JSONValue(Data(message.utf8)))
            let all = if case .array(let elements) = value.content { elements } else { [value] }
            for element in all {
                guard case .object(let members) = element.content else { continue }
                let known = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
                if let id = known["id"] { results[id] = known["result"]?.text(upTo: .max) ?? "" }
                if case .object(let params)? = known["params"]?.content, let token = params.first?.value {
                    results[.array([token])] = "progress"
                }
            }
        }
        return results
    }

    func call(_ method: String, id: String) async throws -> String {
        let results = try await results(Self.text(method, id: id))
        let sent = try #require(JSONValue(Data(id.utf8)))
        let received = results.map { "\($0.key.text(upTo: 80)): \($0.value)" }
        guard let result = results[sent] else { throw NoResponse(sent: id, received: received) }
        if method == "stream", results[.array([sent])] == nil { throw NoResponse(sent: id, received: received) }
        return result
    }

    func batch(_ calls: [(method: String, id: String)]) async throws -> [String] {
        let results = try await results("[\(calls.map { Self.text($0.method, id: $0.id) }.joined(separator: ","))]")
        return try calls.map { call in
            guard let result = JSONValue(Data(call.id.utf8)).flatMap({ results[$0] }) else {
                throw NoResponse(sent: call.id, received: results.map { $0.key.text(upTo: 80) })
            }
            return "\(call.method) \(result)"
        }
    }

    func notify(_ method: String) async throws {
        let (_, response) = try await session.data(for: request(#"{"jsonrpc":"2.0","method":"\#(method)"}"#))
        let status = (response as? HTTPURLResponse)?.statusCode
        guard status == 202 else { throw NoResponse(sent: method, received: ["\(status ?? 0)"]) }
    }

    /// Returns the value of a header field that the server gives back, and the content type.
    func header(_ name: String, _ value: String, id: String = "1") async throws -> [String] {
        var request = request(Self.text("header", id: id))
        request.setValue(value, forHTTPHeaderField: name)
        let response = try #require(try await session.data(for: request).1 as? HTTPURLResponse)
        let fields = ResponseHead(response).headerFields
        return [fields[name] ?? "none", fields["Content-Type"] ?? "none"]
    }
}

extension String {
    /// The data of each server-sent event, the lines of one event together.
    fileprivate var eventData: [String] {
        components(separatedBy: "\n\n").map { event in
            event.components(separatedBy: "\n").filter { $0.hasPrefix("data:") }.map { $0.dropFirst(5) }.joined()
        }.filter { !$0.isEmpty }
    }
}

/// A server of JSON-RPC that answers a batch from its last call to its first.
private enum CallServer {
    /// The id of an order that the server knows.
    static let order = "0b9e7c44-1d2f-4f0e-b7a3-93c1d2a4e5f6"

    @Sendable static func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
        guard let value = JSONValue(request.body) else { return .text("no JSON", status: 400) }
        if case .array(let calls) = value.content {
            return .json("[\(calls.reversed().compactMap { answer($0) }.joined(separator: ","))]")
        }
        guard case .object(let members) = value.content else { return .text("no call", status: 400) }
        if members.contains(where: { $0.key == "echo" }) {
            let id = text(of: "requestId", in: members.first { $0.key == "meta" }?.value ?? value)
            return .json(
                #"{"items":[{"page":3}],"page":\#(text(of: "page", in: value)),"status":{"requestId":\#(id)}}"#
            )
        }
        guard let answer = answer(value) else { return LoopbackServer.Response(status: 202) }
        if text(of: "method", in: value) == #""stream""# {
            let id = text(of: "id", in: value)
            let progress = #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":\#(id)}}"#
            return LoopbackServer.Response(
                headers: [("Content-Type", "text/event-stream")],
                body: .chunked([
                    .send("event: message\nid: 1\ndata: \(progress)\n\n"), .wait(milliseconds: 20),
                    // The data of one event in two lines.
                    .send("data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":\(id),\"result\":{\"id\":1}}\n\n"),
                ])
            )
        }
        var response = LoopbackServer.Response.json(answer)
        for name in ["X-Request-ID", "X-Call"] {
            if let value = request.header(name) { response.headers.append((name, value)) }
        }
        if let new = request.header("X-Answer") {
            response = .json(#"{"jsonrpc":"2.0","id":\#(text(of: "id", in: value)),"result":"\#(new)"}"#)
        }
        return response
    }

    private static func answer(_ call: JSONValue) -> String? {
        let (id, method) = (text(of: "id", in: call), text(of: "method", in: call))
        if id == "none" { return nil }
        return switch method {
        case #""sevens""#: #"{"jsonrpc":"2.0","result":{"id":7,"items":[{"id":7}]},"id":\#(id)}"#
        case #""order""#: #"{"jsonrpc":"2.0","result":{"order":{"id":"\#(order)"}},"id":\#(id)}"#
        case #""broken""#: #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"broken"}}"#
        default: #"{"jsonrpc":"2.0","id":\#(id),"result":{"method":\#(method)}}"#
        }
    }

    private static func text(of key: String, in value: JSONValue) -> String {
        guard case .object(let members) = value.content else { return "none" }
        return members.first { $0.key == key }?.value.text(upTo: .max) ?? "none"
    }
}
