import Foundation

/// What a stub answers with: a response, an error, or a response that breaks off with an error.
///
/// Made by the static members, which read as a sentence at the call site:
///
///     network.stub(.get("/users/42"), with: .json(["id": 42]))
///     network.stub(.path("/login"), with: .status(401))
///     network.stub(.any, with: .failure(URLError(.notConnectedToInternet)))
///
/// At least one of `head` and `failure` is there.
public struct StubResponse: Sendable, Hashable {
    /// Status, header fields and URL; `nil` when the exchange failed before a response came.
    public var head: ResponseHead? {
        didSet { played = Lock(nil) }
    }

    /// The response that was made of `head` last; shared by the copies of this value that have the same head.
    private(set) var played = Lock<PlayedResponse?>(nil)

    /// The body as the client receives it: decoded. `nil` when there is none, or when a stub file's cannot be read.
    ///
    /// A large body of a stub file is read when it is first asked for.
    public var body: Data? {
        get { try? content?.data() }
        set { content = newValue.map(StubBody.data) }
    }

    /// The body, read or not.
    var content: StubBody?

    /// The error that ends the exchange, after whatever of `head` and `body` is there.
    public var failure: StubFailure?

    /// When the parts of the response reach the client; at once by default.
    public var pace: Pace = .immediate

    /// A response, complete.
    public init(head: ResponseHead, body: Data? = nil) {
        self.head = head
        content = body.map(StubBody.data)
    }

    /// An exchange that ended in an error, with what had arrived before it.
    public init(failure: StubFailure, head: ResponseHead? = nil, body: Data? = nil) {
        self.head = head
        content = body.map(StubBody.data)
        self.failure = failure
    }
}

extension StubResponse {
    /// Equal when head, body, failure and pace are; whether the body has been read makes no difference.
    public static func == (left: Self, right: Self) -> Bool {
        left.head == right.head && left.failure == right.failure && left.pace == right.pace && left.body == right.body
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(head)
        hasher.combine(failure)
        hasher.combine(pace)
    }
}

/// The head of a response: what `HTTPURLResponse` carries.
public struct ResponseHead: Sendable, Hashable {
    /// The status code, 100 to 599 in HTTP (RFC 9110, section 15); anything from 0 to 999 is delivered as it is.
    public var statusCode: Int

    public var headerFields: HeaderFields

    /// The URL that answered; `nil` when it is the request's.
    public var url: URL?

    public init(statusCode: Int, headerFields: HeaderFields = [:], url: URL? = nil) {
        self.statusCode = statusCode
        self.headerFields = headerFields
        self.url = url
    }
}
