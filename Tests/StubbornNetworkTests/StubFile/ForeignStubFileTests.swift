import Foundation
import Testing

@testable import StubbornNetwork

/// Stub files that an earlier implementation recorded for an app that shipped. They are not part of this repository: the
/// variable names the folder that they lie in, and without it these tests are skipped.
struct ForeignStubFileTests {
    private static let folder = ProcessInfo.processInfo.environment["STUBBORN_NETWORK_FOREIGN_STUB_FILES"]

    private static var files: [URL] {
        guard let folder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().map { URL(fileURLWithPath: folder + "/" + $0) }
    }

    @Test(.enabled(if: folder != nil, "STUBBORN_NETWORK_FOREIGN_STUB_FILES names no folder of stub files"))
    func `every stub loads, with the body that Foundation reads`() throws {
        #expect(!Self.files.isEmpty)
        for file in Self.files {
            let data = try Data(contentsOf: file)
            let entries = try StubFileDocument(data, file: file).entries
            let expected = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
            #expect(!entries.isEmpty && entries.count == expected.count)
            for (entry, expected) in zip(entries, expected) {
                let request = try #require(expected["request"] as? [String: Any])
                let response = try #require(expected["response"] as? [String: Any])
                #expect(entry.stub.request.url.absoluteString == request["url"] as? String)
                #expect(entry.stub.request.method == request["method"] as? String)
                #expect(entry.stub.request.body == Self.body(request["requestData"]))
                #expect(entry.stub.response.head?.statusCode == response["statusCode"] as? Int)
                #expect(entry.stub.response.body == Self.body(expected["data"] ?? response["responseData"]))
                let fields = entry.stub.response.head?.headerFields.map { "\($0.name)[:::]\($0.value)" }
                #expect(fields == response["headerFields"] as? [String])
            }
        }
    }

    @Test(.enabled(if: folder != nil, "STUBBORN_NETWORK_FOREIGN_STUB_FILES names no folder of stub files"))
    func `every stub is written again byte for byte`() throws {
        for file in Self.files {
            let data = try Data(contentsOf: file)
            let document = try StubFileDocument(data, file: file)
            let again = try StubFileDocument(document.rendered(), file: file)
            #expect(again.entries == document.entries)
            #expect(again.entries.map(\.stub) == document.entries.map(\.stub))
            for entry in document.entries {
                #expect(data.range(of: try entry.data()) != nil)
            }
        }
    }

    private static func body(_ value: Any?) -> Data? { (value as? String).flatMap { Data(base64Encoded: $0) } }
}
