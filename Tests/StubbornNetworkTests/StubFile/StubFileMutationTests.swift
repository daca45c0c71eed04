import Foundation
import Testing

@testable import StubbornNetwork

/// Feeds mutated files to this library and to Foundation's decoder: what Foundation takes as an array of stubs is taken
/// here too, with the same values, and nothing traps.
struct StubFileMutationTests {
    @Test func `what Foundation accepts is accepted, with the same values, and nothing else`() throws {
        var generator = Generator(seed: 2026)
        var accepted = 0
        for _ in 0..<6_000 {
            let mutant = try Self.mutant(&generator)
            let ours = try? StubFileDocument(mutant).entries.map { FoundationStub($0.stub) }
            let theirs = FoundationStub.stubs(in: mutant)
            if theirs != nil { accepted += 1 }
            #expect(ours == theirs, "\(String(decoding: mutant, as: UTF8.self).debugDescription)")
        }
        #expect(accepted > 500)
    }

    @Test func `no truncated file is accepted, and each error has a place`() throws {
        let whole = Data(Self.seeds[1].utf8)
        for count in whole.indices.dropLast() where whole[..<count].last != UInt8(ascii: "]") {
            let error = #expect(throws: StubbornNetworkError.self) { try StubFileDocument(whole[..<count]) }
            #expect(error?.message.hasPrefix("Stubs/Login.json:") == true)
        }
    }

    private static let seeds = [
        #"""
        [ {"data":"YWJj","request":{"headerFields":["A[:::]b"],"method":"GET","requestData":null,"url":"http:\/\/a.example\/b"},
        "response":{"statusCode":200,"headerFields":["C[:::]d","É\u00e9[:::]\ud83d\ude00"],"url":"http://b/"},"x":[1,{"y":-0.5e+3}]} ]
        """#,
        StubFileDocumentTests.example,
        #"[{"request":{"method":"PUT","url":"http://a","requestData":""},"response":{},"error":{"domain":"D","code":-1,"description":"d"}},{"request":{"method":"GET","url":"http://b/ü"},"response":{"statusCode":2e2,"responseData":"//4="}}]"#,
    ]

    private static let pieces =
        [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "true", "false", "0", "1", "-", ".", "e", "E+2", " ",
            "\n",
            "\u{0}", "\u{1}", "\u{1F}", "\u{FEFF}", "\\u0041", "\\ud83d", "\\ude00", "\\/", "\\n", "\\x", "\\u123\\",
            "=", "é", "{}", "[]",
            "\"data\":null,", "\"statusCode\":404,", "\"data\":\"eA==\",", "\"method\":\"A\",", "\"z\":01,",
            "\"z\":\"\\ud800\",", "200", "999999999999999999999", "1e400", "1.0", "[:::]",
        ].map { Data($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0x00, 0x5B]].map { Data($0) }

    private static func mutant(_ generator: inout Generator) throws -> Data {
        var data = Data(seeds[Int.random(in: seeds.indices, using: &generator)].utf8)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let start = Int.random(in: 0...data.count, using: &generator)
            let end = min(data.count, start + Int.random(in: 0...3, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: data.replaceSubrange(start..<end, with: Data())
            case 1: data.replaceSubrange(start..<end, with: Data(data[start..<end]) + Data(data[start..<end]))
            case 2:
                let from = Int.random(in: 0...data.count, using: &generator)
                let to = min(data.count, from + Int.random(in: 0...40, using: &generator))
                data.insert(contentsOf: Data(data[from..<to]), at: start)
            case 3: data.replaceSubrange(start..<end, with: pieces[Int.random(in: pieces.indices, using: &generator)])
            default: data.insert(contentsOf: pieces[Int.random(in: pieces.indices, using: &generator)], at: start)
            }
        }
        return data
    }
}

/// The stub file's keys as Foundation decodes them, and nothing else.
private struct FoundationStub: Equatable {
    var method: String
    var url: URL
    var requestFields: [String]
    var requestBody: Data?
    var statusCode: Int?
    var responseFields: [String]
    var responseURL: URL?
    var body: Data?
    var domain: String?
    var code: Int?
    var errorDescription: String?

    init(_ stub: Stub) {
        method = stub.request.method
        url = stub.request.url
        requestFields = stub.request.headerFields.map { "\($0.name)[:::]\($0.value)" }
        requestBody = stub.request.body
        let isAbsent = stub.response.failure == .noResponseRecorded
        statusCode = stub.response.head?.statusCode
        responseFields = stub.response.head?.headerFields.map { "\($0.name)[:::]\($0.value)" } ?? []
        responseURL = stub.response.head?.url
        body = stub.response.body
        domain = isAbsent ? nil : stub.response.failure?.domain
        code = isAbsent ? nil : stub.response.failure?.code
        errorDescription = isAbsent ? nil : stub.response.failure?.description
    }

    /// What Foundation makes of a file; `nil` where it refuses it, or where the file is an array of something else.
    static func stubs(in data: Data) -> [FoundationStub]? {
        guard let decoded = try? JSONDecoder().decode([Decoded].self, from: data) else { return nil }
        let stubs = decoded.compactMap(FoundationStub.init)
        return stubs.count == decoded.count ? stubs : nil
    }

    private init?(_ decoded: Decoded) {
        let response = decoded.response
        method = decoded.request.method
        url = decoded.request.url
        requestFields = decoded.request.headerFields ?? []
        requestBody = decoded.request.requestData
        statusCode = response?.statusCode
        responseFields = response?.headerFields ?? []
        responseURL = response?.url
        body = decoded.data ?? response?.responseData
        domain = decoded.error?.domain
        code = decoded.error?.code
        errorDescription = decoded.error?.description

        let isHeadAbsent = responseFields.isEmpty && responseURL == nil && response?.responseData == nil
        guard !method.isEmpty, url.scheme != nil, responseURL == nil || responseURL?.scheme != nil,
            (requestFields + responseFields).allSatisfy({ $0.contains("[:::]") }),
            statusCode.map((0...999).contains) ?? isHeadAbsent
        else { return nil }
        if let error = decoded.error, !error.isEmpty, error.domain == nil || error.code == nil { return nil }
        if statusCode == nil, body != nil, domain == nil { statusCode = 200 }
    }

    private struct Decoded: Decodable {
        struct Request: Decodable {
            var method: String
            var url: URL
            var headerFields: [String]?
            var requestData: Data?
        }
        struct Response: Decodable {
            var statusCode: Int?
            var headerFields: [String]?
            var url: URL?
            var responseData: Data?
        }
        struct Failure: Decodable {
            enum CodingKeys: CodingKey { case domain, code, description }
            var domain: String?
            var code: Int?
            var description: String?
            var isEmpty: Bool

            init(from decoder: any Decoder) throws {
                isEmpty = try decoder.container(keyedBy: AnyKey.self).allKeys.isEmpty
                let container = try decoder.container(keyedBy: CodingKeys.self)
                domain = try container.decodeIfPresent(String.self, forKey: .domain)
                code = try container.decodeIfPresent(Int.self, forKey: .code)
                description = try container.decodeIfPresent(String.self, forKey: .description)
            }
        }
        var request: Request
        var response: Response?
        var data: Data?
        var error: Failure?
    }

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
