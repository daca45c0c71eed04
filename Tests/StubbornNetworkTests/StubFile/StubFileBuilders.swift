import Foundation

@testable import StubbornNetwork

extension StubFileDocument {
    init(_ text: String) throws { try self.init(Data(text.utf8)) }

    init(_ data: Data, file: URL = URL(fileURLWithPath: "Stubs/Login.json")) throws(StubbornNetworkError) {
        try self.init(parsing: StubFileText(data, file: file))
    }

    var text: String { String(decoding: data, as: UTF8.self) }
}

extension StubFileEntry: Equatable {
    /// Returns a Boolean value that indicates whether both entries have the same JSON, byte for byte.
    public static func == (left: StubFileEntry, right: StubFileEntry) -> Bool { left.json == right.json }

    var text: String { String(decoding: json, as: UTF8.self) }
}

extension Stub {
    /// Returns the keys of the bodies, as they are written in an encoding.
    func bodyKeys(_ encoding: BodyEncoding = .readable) -> Set<String> {
        let keys = StubFileKey.bodies(in: .readable).union(StubFileKey.bodies(in: .base64))
        return StubFileEntry.bodyKeys(of: self, in: encoding).intersection(keys)
    }

    static func get(_ url: String, _ response: StubResponse) throws -> Stub {
        Stub(request: StubRequest(url: try URL.parsed(url)), response: response)
    }
}

extension StubResponse {
    static func status(_ code: Int, _ headerFields: HeaderFields = [:], body: String? = nil) -> StubResponse {
        StubResponse(
            head: ResponseHead(statusCode: code, headers: headerFields),
            body: body.map { Data($0.utf8) }
        )
    }

    static let lostConnection = StubResponse(failure: StubFailure(domain: NSURLErrorDomain, code: -1005))
}

extension URL {
    static func parsed(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw URLError(.badURL) }
        return url
    }
}

extension StubFileStore {
    /// The bytes of the file, whatever they say.
    var content: Data? { try? Data(contentsOf: file) }
}

extension RecordedStubs {
    /// Adds a stub of the file.
    mutating func append(_ stub: Stub) {
        append(StubFileEntry(rendering: stub, bodyEncoding: .base64))
    }
}

extension StubSource {
    /// Creates a source in memory with stubs, as if they were those of a file.
    convenience init(ofFile stubs: [Stub]) {
        self.init(file: nil)
        recorded.withLock { recorded in
            for stub in stubs { recorded.append(stub) }
        }
    }
}
