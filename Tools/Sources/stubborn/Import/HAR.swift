import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// An HTTP Archive, version 1.2.
///
/// Its specification is http://www.softwareishard.com/blog/har-12-spec. When an archive is read, every field may be
/// missing or have a different type, because programs write different fields.
struct HAR: Codable {
    var log: Log

    struct Log: Codable {
        var version = "1.2"
        var creator = Creator(name: "stubborn", version: StubbornNetwork.version)
        var entries: [Entry]

        init(entries: [Entry]) {
            self.entries = entries
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // An entry that is not an object is kept as an entry without a request, so that it is counted.
            entries = try container.decode([Lenient<Entry>].self, forKey: .entries).map { $0.value ?? Entry() }
        }
    }

    struct Creator: Codable {
        var name: String
        var version: String
    }

    struct Entry: Codable {
        @Maybe var startedDateTime: String?
        @Maybe var time: Double?
        @Maybe var request: Request?
        @Maybe var response: Response?
        @Maybe var cache: [String: String]? = [:]
        @Maybe var timings: Timings?
        /// Chrome's name for the error of a failed request.
        @Maybe var _error: String?
        /// The error of a stub, for which HAR has no field.
        @Maybe var _stubbornError: Failure?
        /// The messages of a WebSocket, as Chrome, mitmproxy and others write them.
        @Maybe var _webSocketMessages: [Message]?
    }

    struct Message: Codable {
        /// `send` or `receive`.
        @Maybe var type: String?
        /// The seconds since 1970.
        @Maybe var time: Double?
        /// The opcode (RFC 6455, section 11.8): 1 for text, 2 for bytes.
        @Maybe var opcode: Double?
        /// The text, or the bytes in base64.
        @Maybe var data: String?
    }

    struct Request: Codable {
        @Maybe var method: String?
        @Maybe var url: String?
        @Maybe var httpVersion: String?
        @Maybe var headers: [Field]?
        @Maybe var queryString: [Field]?
        @Maybe var cookies: [Field]?
        @Maybe var headersSize: Double?
        @Maybe var bodySize: Double?
        @Maybe var postData: PostData?
    }

    struct PostData: Codable {
        @Maybe var mimeType: String?
        @Maybe var text: String?
        @Maybe var params: [Parameter]?
        /// `base64` if the text is base64: some programs write this field, which is not in the specification.
        @Maybe var encoding: String?
        /// The same field, as an export writes it.
        @Maybe var ownEncoding: String?

        enum CodingKeys: String, CodingKey {
            case mimeType, text, params, encoding
            case ownEncoding = "_encoding"
        }
    }

    struct Parameter: Codable {
        @Maybe var name: String?
        @Maybe var value: String?
        @Maybe var fileName: String?
        @Maybe var contentType: String?
    }

    struct Response: Codable {
        @Maybe var status: Double?
        @Maybe var statusText: String?
        @Maybe var httpVersion: String?
        @Maybe var headers: [Field]?
        @Maybe var cookies: [Field]?
        @Maybe var content: Content?
        @Maybe var redirectURL: String?
        @Maybe var headersSize: Double?
        @Maybe var bodySize: Double?
        @Maybe var _error: String?
    }

    struct Content: Codable {
        @Maybe var size: Double?
        @Maybe var mimeType: String?
        @Maybe var text: String?
        @Maybe var encoding: String?
        /// The file next to the archive in which Playwright keeps the body.
        @Maybe var _file: String?
    }

    struct Field: Codable {
        @Maybe var name: String?
        @Maybe var value: String?
    }

    static func fields(_ fields: HeaderFields) -> [Field] {
        fields.map { Field(name: $0.name, value: $0.value) }
    }

    struct Timings: Codable {
        @Maybe var blocked: Double?
        @Maybe var dns: Double?
        @Maybe var connect: Double?
        @Maybe var send: Double?
        @Maybe var wait: Double?
        @Maybe var receive: Double?
    }

    struct Failure: Codable {
        var domain: String
        var code: Int
        var description: String?

        init(_ failure: StubFailure) {
            (domain, code, description) = (failure.domain, failure.code, failure.description)
        }
    }
}

/// A value that is `nil` if it is missing or cannot be read.
@propertyWrapper
struct Maybe<Value: Codable>: Codable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    init(from decoder: any Decoder) throws {
        if let value = try? Value(from: decoder) {
            wrappedValue = value
        } else if let text = try? String(from: decoder) {
            // A number as a string.
            wrappedValue = Double(text) as? Value
        } else if let number = try? Double(from: decoder), Value.self == String.self {
            wrappedValue = (Int(exactly: number).map(String.init) ?? "\(number)") as? Value
        }
    }

    func encode(to encoder: any Encoder) throws { try wrappedValue?.encode(to: encoder) }
}

/// An element of a list that may be of a different type.
struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        value = try? Value(from: decoder)
    }
}

extension KeyedDecodingContainer {
    func decode<Value>(_ type: Maybe<Value>.Type, forKey key: Key) throws -> Maybe<Value> {
        try decodeIfPresent(type, forKey: key) ?? Maybe(wrappedValue: nil)
    }
}

extension KeyedEncodingContainer {
    mutating func encode<Value>(_ value: Maybe<Value>, forKey key: Key) throws {
        guard let value = value.wrappedValue else { return }
        try encode(value, forKey: key)
    }
}
