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

    /// The time at which the request of the recording started, in whole seconds; `nil` where it is not known.
    ///
    /// It is kept when the stub is recorded again and has not changed. Two stubs are equal whatever their dates are.
    public internal(set) var recordedAt: Date?

    /// Creates a stub.
    public init(request: StubRequest, response: StubResponse) {
        self.request = request
        self.response = response
    }

    /// The request and the response: `GET https://api.example.com/users/42: 200, 12 bytes`.
    ///
    /// A value that a test made has its JSON: `value "order": 42`.
    public var description: String {
        if request.valueName != nil, let json = try? response.body {
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
    public var valueName: String? { request.valueName }
}

extension Stub: Hashable {
    /// Returns a Boolean value that indicates whether request and response are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.request == right.request && left.response == right.response
    }

    /// Combines request and response.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(request)
        hasher.combine(response)
    }
}
