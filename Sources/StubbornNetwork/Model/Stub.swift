import Foundation

/// A request paired with the response, or the error, that it gets.
///
/// This is a recorded stub, as it is stored in a stub file. A stub declared in code answers all requests that its pattern
/// matches.
public struct Stub: Sendable, CustomStringConvertible {
    /// The request that gets the response.
    public var request: StubRequest
    /// The response, or the error, that the request gets.
    public var response: StubResponse

    /// The time at which the request of the recording started, in whole seconds; `nil` if it is not known.
    ///
    /// The date is kept if the stub is recorded again without a change. Dates don't affect equality.
    public internal(set) var recordedAt: Date?

    /// Creates a stub.
    public init(request: StubRequest, response: StubResponse) {
        (self.request, self.response) = (request, response)
    }

    /// The request and the response: `GET https://api.example.com/users/42: 200, 12 bytes`.
    ///
    /// A value that a test made shows its JSON: `value "order": 42`.
    public var description: String {
        if request.valueName != nil, let json = response.body {
            return "\(request): \(String(decoding: json, as: UTF8.self).cut())"
        }
        return "\(request): \(response)"
    }
}

extension Stub {
    /// Creates the stub of a value that a test made; no JSON stands for `null`.
    init(valueNamed name: String, json: Data?) {
        self.init(
            request: StubRequest(valueNamed: name),
            response: StubResponse(head: ResponseHead(statusCode: 200), body: json ?? Data("null".utf8))
        )
    }

    /// The name of a value that a test made with `value(_:_:)`; `nil` for an exchange with a server.
    @_spi(Tools) public var valueName: String? { request.valueName }
}

extension Stub: Equatable {
    /// Returns a Boolean value that indicates whether requests and responses are equal.
    public static func == (left: Self, right: Self) -> Bool {
        (left.request, left.response) == (right.request, right.response)
    }
}

/// A text of a stub: a URL, the value of a header field, a body, or the text of an error.
///
/// All code that examines the texts of a stub uses this list, so that a new kind of text is added in one place.
struct StubText {
    enum Place { case url, field(String), body, error }

    let isRequest: Bool
    let place: Place

    /// The header fields of the request or the response.
    let fields: HeaderFields
    let data: Data

    /// The place as messages name it: `request header Accept`.
    var part: String {
        let message = isRequest ? "request" : "response"
        switch place {
        case .url: return "\(message) URL"
        case .field(let name): return "\(message) header \(name)"
        case .body: return "\(message) body"
        case .error: return "error"
        }
    }

    /// Returns the parts of a request or a response with the texts that `change` returns; `nil` for unchanged parts.
    fileprivate static func change(
        _ url: URL?,
        _ fields: HeaderFields,
        _ body: Data?,
        isRequest: Bool,
        _ change: (StubText) -> Data?
    ) -> (url: URL?, fields: HeaderFields?, body: Data?) {
        func changed(_ place: Place, _ data: Data) -> Data? {
            change(StubText(isRequest: isRequest, place: place, fields: fields, data: data))
        }
        var newURL: URL?
        if let url, let new = changed(.url, Data(url.absoluteString.utf8)) {
            // A value that cannot be written as a URL must not be kept.
            var hidden = URLComponents()
            (hidden.scheme, hidden.host, hidden.path) = (url.scheme, url.host, "/REDACTED")
            let text = String(decoding: new, as: UTF8.self)
            newURL = URL(encodingOnlyInvalid: text) ?? hidden.url ?? URL(fileURLWithPath: "/REDACTED")
        }
        let newFields = fields.map { field -> HeaderFields.Field in
            guard let value = changed(.field(field.name), Data(field.value.utf8)) else { return field }
            return .init(name: field.name, value: String(decoding: value, as: UTF8.self))
        }
        let isChanged = newFields != fields.fields
        return (newURL, isChanged ? HeaderFields(newFields) : nil, body.flatMap { changed(.body, $0) })
    }
}

/// A request, a response or a stub, which consist of texts.
protocol StubTexts {
    /// Replaces each text by the result of `change`; `nil` keeps it.
    mutating func changeTexts(_ change: (StubText) -> Data?)
}

extension StubTexts {
    /// The URLs, the header fields, the bodies and the text of the error.
    var texts: [StubText] {
        var (copy, result) = (self, [StubText]())
        copy.changeTexts {
            result.append($0); return nil
        }
        return result
    }
}

extension StubRequest: StubTexts {
    mutating func changeTexts(_ change: (StubText) -> Data?) {
        let changed = StubText.change(url, headerFields, body, isRequest: true, change)
        (url, headerFields, body) = (changed.url ?? url, changed.fields ?? headerFields, changed.body ?? body)
    }
}

extension StubResponse: StubTexts {
    mutating func changeTexts(_ change: (StubText) -> Data?) {
        let fields = head?.headerFields ?? [:]
        let frames = webSocketFrames
        let changed = StubText.change(head?.url, fields, frames == nil ? body : nil, isRequest: false, change)
        if let url = changed.url { head?.url = url }
        if let fields = changed.fields { head?.headerFields = fields }
        if let body = changed.body { replaceBody(with: body) }
        let newFrames = frames?.map { frame in
            var frame = frame
            let text = StubText(isRequest: frame.isSent, place: .body, fields: [:], data: frame.data)
            frame.data = change(text) ?? frame.data
            return frame
        }
        if newFrames != frames { body = newFrames?.lines }
        let error = failure?.description.flatMap {
            change(StubText(isRequest: false, place: .error, fields: fields, data: Data($0.utf8)))
        }
        if let error { failure?.description = String(decoding: error, as: UTF8.self) }
    }
}

extension Stub: StubTexts {
    mutating func changeTexts(_ change: (StubText) -> Data?) {
        request.changeTexts(change)
        response.changeTexts(change)
    }
}
