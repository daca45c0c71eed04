import Foundation
import StubbornNetwork
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// What the article uses of apple/swift-http-types and apple/swift-openapi-runtime, with their names and types.
// swift-format-ignore
private enum OpenAPI {
    struct HTTPField {
        struct Name {
            let rawName: String
            init?(_ name: String) { rawName = name }
        }
        var name: Name
        var value: String
    }
    struct HTTPRequest {
        struct Method { var rawValue: String }
        var method: Method
        var path: String?
        var headerFields: [HTTPField] = []
    }
    struct HTTPResponse {
        struct Status { var code: Int }
        var status: Status
        var headerFields: [HTTPField] = []
    }
    struct HTTPBody: AsyncSequence, Sendable {
        enum Length { case unknown }
        enum IterationBehavior { case single }
        let parts: AsyncThrowingStream<ArraySlice<UInt8>, any Error>

        init(_ data: Data = Data()) {
            parts = AsyncThrowingStream { continuation in
                continuation.yield(ArraySlice(data))
                continuation.finish()
            }
        }
        init<Parts: AsyncSequence & Sendable>(_ parts: Parts, length: Length, iterationBehavior: IterationBehavior)
        where Parts.Element == ArraySlice<UInt8> {
            self.parts = AsyncThrowingStream { continuation in
                Task {
                    do {
                        for try await part in parts { continuation.yield(part) }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
            }
        }
        func makeAsyncIterator() -> AsyncThrowingStream<ArraySlice<UInt8>, any Error>.Iterator { parts.makeAsyncIterator() }
    }
    protocol ClientTransport: Sendable {
        func send(_ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String)
            async throws -> (HTTPResponse, HTTPBody?)
    }

    struct StubbedTransport: ClientTransport {
        let network: StubbornNetwork
        let transport: any ClientTransport

        func send(_ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String)
            async throws -> (HTTPResponse, HTTPBody?)
        {
            guard let url = URL(string: baseURL.absoluteString + (request.path ?? "")) else { throw URLError(.badURL) }
            var data: Data?
            if let body { data = try await Data(collecting: body, upTo: .max) }
            let stubRequest = StubRequest(
                method: request.method.rawValue,
                url: url,
                headers: HeaderFields(request.headerFields.map { .init(name: $0.name.rawName, value: $0.value) }),
                body: data
            )
            let response = try await network.streamedResponse(to: stubRequest) { [data] _ in
                let body = data.map { HTTPBody($0) }
                let (response, parts) = try await transport.send(
                    request,
                    body: body,
                    baseURL: baseURL,
                    operationID: operationID
                )
                let head = ResponseHead(
                    statusCode: response.status.code,
                    headers: HeaderFields(response.headerFields.map { .init(name: $0.name.rawName, value: $0.value) })
                )
                return StreamedResponse(head: head, parts: (parts ?? HTTPBody()).map { Data($0) })
            }
            var head = HTTPResponse(status: .init(code: response.head.statusCode))
            for field in response.head.headerFields {
                if let name = HTTPField.Name(field.name) { head.headerFields.append(HTTPField(name: name, value: field.value)) }
            }
            let parts = response.parts.map { ArraySlice($0) }
        return (head, HTTPBody(parts, length: .unknown, iterationBehavior: .single))
        }
    }

    /// The server of the transport: it answers once.
    struct OneAnswer: ClientTransport {
        func send(_ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String)
            async throws -> (HTTPResponse, HTTPBody?)
        {
            var text = "\(request.method.rawValue) \(baseURL.absoluteString)\(request.path ?? "") "
            for try await part in body ?? HTTPBody() { text += String(decoding: part, as: UTF8.self) }
            return (HTTPResponse(status: .init(code: 201)), HTTPBody(Data(text.utf8)))
        }
    }
}

extension Data {
    fileprivate init(collecting body: OpenAPI.HTTPBody, upTo limit: Int) async throws {
        self.init()
        for try await part in body { append(contentsOf: part) }
    }
}
private struct Client {
    func send(_ request: StubRequest) async throws -> StubResponse { .text("Ada") }
    func open(_ request: StubRequest) async throws -> StreamedResponse {
        let (stream, continuation) = AsyncStream<Data>.makeStream()
        for text in ["one", "two"] { continuation.yield(Data(text.utf8)) }
        continuation.finish()
        return StreamedResponse(head: ResponseHead(statusCode: 200), parts: stream)
    }
}

struct OtherClientsArticle {
    private let client = Client()
    private let request = StubRequest(url: URL(string: "https://api.test/users/1")!)

    private func network(_ mode: RecordMode, _ directory: TemporaryFolder) -> StubbornNetwork {
        let environment = ["XCODE_RUNNING_FOR_PREVIEWS": "1"]
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: environment)
        network.recordMode = mode
        return network
    }

    @Test func `one call records and plays`() async throws {
        let directory = TemporaryFolder()
        for mode in [RecordMode.recording, .playback] {
            let network = network(mode, directory)
            let client = client
            let response = try await network.response(to: request) { request in try await client.send(request) }
            #expect(response.body == Data("Ada".utf8))
            try network.finishRecording()
        }
    }

    @Test func `a stream comes in parts`() async throws {
        let network = network(.recording, TemporaryFolder())
        let client = client
        var events = ""
        let response = try await network.streamedResponse(to: request) { request in try await client.open(request) }
        for try await part in response.parts { events += String(decoding: part, as: UTF8.self) }
        #expect(events == "onetwo")
    }

    @Test func `a transport of an OpenAPI client records and plays`() async throws {
        let directory = TemporaryFolder()
        let base = try #require(URL(string: "https://api.test"))
        for mode in [RecordMode.recording, .playback] {
            let network = network(mode, directory)
            let transport = OpenAPI.StubbedTransport(network: network, transport: OpenAPI.OneAnswer())
            let (response, body) = try await transport.send(
                OpenAPI.HTTPRequest(method: .init(rawValue: "PUT"), path: "/users/1"),
                body: OpenAPI.HTTPBody(Data("Ada".utf8)),
                baseURL: base,
                operationID: "putUser"
            )
            #expect(response.status.code == 201)
            let data = try await Data(collecting: body ?? OpenAPI.HTTPBody(), upTo: 99)
            #expect(data == Data("PUT https://api.test/users/1 Ada".utf8))
            #expect(network.exchanges.map(\.outcome) == [mode == .playback ? .stubbed : .recorded])
            try network.finishRecording()
        }
    }
}

/// A folder that is removed with the value.
private final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("clients-\(UUID().uuidString)").path
    deinit { try? FileManager.default.removeItem(atPath: path) }
}
