import Foundation
import Testing

@testable import StubbornNetwork

/// A network and what it says about a request that no stub answers.
final class ReportScene {
    let network: StubbornNetwork
    let directory = TemporaryDirectory()
    private let asked: Int

    enum Place { case ephemeral, environment }

    /// Creates a network that plays back a file of these requests, each with an empty 200.
    ///
    /// The request is made `asked` times before the one that is reported on.
    convenience init(
        _ recorded: StubRequest...,
        environment: [String: String] = [:],
        asked: Int = 0,
        prepare: (StubbornNetwork) -> Void = { _ in }
    ) throws {
        try self.init(file: recorded, environment: environment, asked: asked, prepare: prepare)
    }

    init(
        file recorded: [StubRequest]?,
        environment: [String: String] = [:],
        asked: Int = 0,
        prepare: (StubbornNetwork) -> Void = { _ in }
    ) throws {
        if let recorded { try directory.write(Self.file(recorded), to: "users.json") }
        let configuration = StubbornNetworkConfiguration.persistent(name: "users", path: directory.path)
        network = StubbornNetwork(try #require(configuration), environment: environment)
        self.asked = asked
        finish(prepare)
    }

    /// A network in memory, or one that the environment configures: by nothing, or with these requests in a file.
    init(
        _ place: Place,
        name: String? = nil,
        _ recorded: StubRequest...,
        asked: Int = 0,
        prepare: (StubbornNetwork) -> Void = { _ in }
    ) throws {
        var environment: [String: String] = [:]
        if let name {
            environment = ["STUB_NAME": name, "STUB_PATH": directory.path]
            try directory.write(Self.file(recorded), to: "LoginTests_testLogin.json")
        }
        network = StubbornNetwork(place == .ephemeral ? .ephemeral : .environment, environment: environment)
        self.asked = asked
        finish(prepare)
    }

    private func finish(_ prepare: (StubbornNetwork) -> Void) {
        network.onUnstubbedRequest = { _ in }
        prepare(network)
    }

    /// The text, with `Stubs` for the directory.
    func report(on request: StubRequest) throws -> String {
        try full(on: request).description.replacingOccurrences(of: directory.path, with: "Stubs")
    }

    func full(on request: StubRequest) throws -> UnstubbedRequestReport {
        try? network.loadStubs()
        let first = network.engine.recorded.stubs().first?.request ?? request
        for _ in 0..<asked { _ = try? network.response(to: first.urlRequest) }
        let error = #expect(throws: StubbornNetworkError.self) { try network.response(to: request.urlRequest) }
        return try #require(error?.report)
    }

    private static func file(_ requests: [StubRequest]) -> String {
        let stubs = requests.map { request in
            let fields = request.headerFields.map { "\"\($0.name)[:::]\($0.value)\"" }.joined(separator: ", ")
            let body = request.body.map { ", \"requestData\" : \"\($0.base64EncodedString())\"" } ?? ""
            return """
                  {
                    "request" : { "method" : "\(request.method)", "url" : "\(request.url)", "headerFields" : [\(fields)]\(body) },
                    "response" : { "statusCode" : 200 }
                  }
                """
        }
        return stubs.isEmpty ? "[]" : "[\n\(stubs.joined(separator: ",\n"))\n]\n"
    }
}

extension StubRequest {
    static func upload(_ boundary: String, _ parts: [String], names: [String] = []) -> StubRequest {
        let lines = parts.enumerated().map { index, part in
            let head = index < names.count ? "Content-Disposition: form-data; name=\"\(names[index])\"\r\n" : ""
            return "--\(boundary)\r\n\(head)\r\n\(part)\r\n"
        }.joined()
        return .make(
            "POST",
            "https://api.test/upload",
            ["Content-Type": "multipart/form-data; boundary=\(boundary)"],
            body: "\(lines)--\(boundary)--"
        )
    }

    static func bytes(_ bytes: [UInt8]) -> StubRequest {
        var request = StubRequest.make("POST", "https://api.test/blob")
        request.body = Data(bytes)
        return request
    }
}
