import Foundation
import Testing

@testable import StubbornNetwork

struct SeenSecretsTests {
    private let key = "k9" + "Zx4Tq7Wm2Rb5"

    private func get(_ address: String, key header: String? = nil) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: address)))
        if let header { request.setValue(header, forHTTPHeaderField: "X-Api-Key") }
        return request
    }

    private func network(_ stubs: [(path: String, body: String)]) throws -> (StubbornNetwork, URL) {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let list = stubs.map { stub in
            """
            {"data": "\(Data(stub.body.utf8).base64EncodedString())",
             "request": {"headerFields": [], "method": "GET", "url": "https://api.example.com\(stub.path)"},
             "response": {"headerFields": [], "statusCode": 200}}
            """
        }
        let file = directory.appendingPathComponent("seen.json")
        try Data("[\(list.joined(separator: ","))]".utf8).write(to: file)
        let network = StubbornNetwork(
            try #require(.persistent(name: "seen", path: directory.path)),
            environment: [:]
        )
        return (network, directory)
    }

    @Test func `an API key from an earlier request is matched in a later path`() throws {
        let (network, directory) = try network([
            ("/login", "in"), ("/v2/REDACTED-x_api_key-1/blocks?from=REDACTED-x_api_key-1", "blocks"),
        ])
        defer { try? FileManager.default.removeItem(at: directory) }
        _ = try network.response(to: get("https://api.example.com/login", key: key))
        let address = "https://api.example.com/v2/\(key)/blocks?from=\(key)"
        #expect(try network.response(to: get(address)).0 == Data("blocks".utf8))
    }

    @Test func `a report hides a secret that an earlier request revealed`() throws {
        let (network, directory) = try network([("/login", "in")])
        defer { try? FileManager.default.removeItem(at: directory) }
        network.onUnstubbedRequest = { _ in }
        _ = try network.response(to: get("https://api.example.com/login", key: key))
        let address = "https://api.example.com/other/\(key)?access_token=\(key)"
        let error = #expect(throws: StubbornNetworkError.self) { try network.response(to: get(address)) }
        let told =
            "\(error.map(String.init(reflecting:)) ?? "") \(error?.report?.jsonString ?? "") \(error.map { $0 as NSError }.map { "\($0) \($0.userInfo)" } ?? "")"
        #expect(!told.contains(key))
        #expect(error?.url?.absoluteString == "https://api.example.com/other/REDACTED?access_token=REDACTED")
    }
}
