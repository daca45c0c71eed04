import Foundation
@_spi(Tools) import StubbornNetworkTooling

@testable import StubbornNetwork

/// The stub file's keys as Foundation decodes them, and nothing else.
struct FoundationStub: Equatable {
    /// Returns a URL, in which Foundation itself would encode each `%` again if another character is invalid.
    fileprivate static func url(_ text: String) throws -> URL {
        guard let url = URL(encodingOnlyInvalid: text) else { throw URLError(.badURL) }
        return url
    }

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
        body = stub.response.bytes
        domain = isAbsent ? nil : stub.response.failure?.domain
        code = isAbsent ? nil : stub.response.failure?.code
        errorDescription = isAbsent ? nil : stub.response.failure?.description
    }

    /// What Foundation makes of a file; `nil` if it refuses it, or where the file is an array of something else.
    ///
    /// Foundation does not look at the values of keys that it does not ask for. Here they must be JSON.
    static func stubs(in data: Data) -> [FoundationStub]? {
        guard JSONValue(data) != nil, let decoded = try? JSONDecoder().decode([Decoded].self, from: data) else {
            return nil
        }
        let stubs = decoded.compactMap(FoundationStub.init)
        return stubs.count == decoded.count ? stubs : nil
    }

    /// A Boolean value that indicates whether a file has none of the keys that only this library may write.
    static func knowsAllKeys(of data: Data) -> Bool {
        [
            "json\"", "text\"", "timing\"", "recordedAt\"", "JSON\"", "Text\"", "form\"", "Form\"", "GraphQL\"",
            "value\"", "ultipart\"",
        ].allSatisfy {
            data.range(of: Data($0.utf8)) == nil
        }
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

    /// Throws where an object has a key that is not listed and not one of people.
    private static func checkKeys(of decoder: any Decoder, _ known: String) throws {
        let keys = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
        let isKnown = keys.allSatisfy {
            known.split(separator: " ").map(String.init).contains($0) || Array($0.utf8.prefix(2)) == Array("x-".utf8)
                || $0 == "comment"
        }
        if !isKnown { throw CocoaError(.coderInvalidValue) }
    }

    private struct Decoded: Decodable {
        struct Request: Decodable {
            enum CodingKeys: CodingKey { case method, url, headerFields, requestData }
            var method: String
            var url: URL
            var headerFields: [String]?
            var requestData: Data?

            init(from decoder: any Decoder) throws {
                try checkKeys(
                    of: decoder,
                    "method url headerFields placeholders requestData requestJSON requestGraphQL requestText requestForm"
                )
                let container = try decoder.container(keyedBy: CodingKeys.self)
                method = try container.decode(String.self, forKey: .method)
                url = try FoundationStub.url(try container.decode(String.self, forKey: .url))
                headerFields = try container.decodeIfPresent([String].self, forKey: .headerFields)
                requestData = try container.decodeIfPresent(Data.self, forKey: .requestData)
            }
        }
        struct Response: Decodable {
            enum CodingKeys: CodingKey { case statusCode, headerFields, url, responseData }
            var statusCode: Int?
            var headerFields: [String]?
            var url: URL?
            var responseData: Data?

            init(from decoder: any Decoder) throws {
                try checkKeys(of: decoder, "statusCode headerFields url responseData")
                let container = try decoder.container(keyedBy: CodingKeys.self)
                statusCode = try container.decodeIfPresent(Int.self, forKey: .statusCode)
                headerFields = try container.decodeIfPresent([String].self, forKey: .headerFields)
                url = try container.decodeIfPresent(String.self, forKey: .url).map(FoundationStub.url)
                responseData = try container.decodeIfPresent(Data.self, forKey: .responseData)
            }
        }
        struct Failure: Decodable {
            enum CodingKeys: CodingKey { case domain, code, description }
            var domain: String?
            var code: Int?
            var description: String?
            var isEmpty: Bool

            init(from decoder: any Decoder) throws {
                try checkKeys(of: decoder, "domain code description")
                isEmpty = try decoder.container(keyedBy: AnyKey.self).allKeys.isEmpty
                let container = try decoder.container(keyedBy: CodingKeys.self)
                domain = try container.decodeIfPresent(String.self, forKey: .domain)
                code = try container.decodeIfPresent(Int.self, forKey: .code)
                description = try container.decodeIfPresent(String.self, forKey: .description)
            }
        }
        enum CodingKeys: CodingKey { case request, response, data, error }
        var request: Request
        var response: Response?
        var data: Data?
        var error: Failure?

        init(from decoder: any Decoder) throws {
            try checkKeys(of: decoder, "request response error timing recordedAt data json text form")
            let container = try decoder.container(keyedBy: CodingKeys.self)
            request = try container.decode(Request.self, forKey: .request)
            response = try container.decodeIfPresent(Response.self, forKey: .response)
            data = try container.decodeIfPresent(Data.self, forKey: .data)
            error = try container.decodeIfPresent(Failure.self, forKey: .error)
        }
    }

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
