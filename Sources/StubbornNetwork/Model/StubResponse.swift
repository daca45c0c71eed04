import Foundation

/// The response of a stub: a response, an error, or a response that ends early with an error.
///
/// Use the static members to create one:
///
///     network.stub(.get("/users/42"), with: .json(["id": 42]))
///     network.stub(.path("/login"), with: .status(401))
///     network.stub(.any, with: .failure(URLError(.notConnectedToInternet)))
///
/// At least one of `head` and `failure` is not `nil`.
public struct StubResponse: Sendable, Equatable {
    /// The status code, the header fields and the URL; `nil` when the exchange failed before there was a response.
    public var head: ResponseHead? {
        didSet { played = Lock(nil) }
    }

    /// The last response that was made from `head`, shared by copies with the same head.
    private(set) var played = Lock<PlayedResponse?>(nil)

    /// The body as the client receives it, without its content encoding; `nil` when there is none.
    ///
    /// A large body of a stub file is decoded when you get this property.
    ///
    /// - Throws: `StubbornNetworkError` when it is not base64.
    public var body: Data? {
        get throws { try content?.data() }
    }

    /// The body, which may not be decoded yet.
    var content: StubBody?
    /// The error that ends the exchange, after `head` and `body` if there are any.
    public internal(set) var failure: StubFailure?
    /// The times at which the parts of the response are delivered; at once by default.
    package var pace: Pace = .immediate
    /// The change to make to the recorded stub's response, which is played instead of this one; `nil` for an ordinary response.
    var recordedChange: RecordedChange?

    /// Creates a complete response.
    public init(head: ResponseHead, body: Data? = nil) {
        self.head = head
        content = body.map(StubBody.data)
    }

    /// Creates a response that ends with an error, after a head and a body if there were any.
    package init(failure: StubFailure, head: ResponseHead? = nil, body: Data? = nil) {
        self.head = head
        content = body.map(StubBody.data)
        self.failure = failure
    }
}

extension StubResponse {
    /// Changes the body, if it can be read; otherwise it fails when it is played.
    mutating func changeBody(_ change: (Data?) -> Data?) {
        do {
            replaceBody(with: change(try body))
        } catch {}
    }

    /// Replaces the body, which stays in its parts.
    mutating func replaceBody(with new: Data?) {
        if !pace.chunks.isEmpty, let old = try? body, let new { pace.apply([Edit(from: old, to: new)]) }
        content = new.map(StubBody.data)
    }

    /// Returns a Boolean value that indicates whether head, body, failure and pace are equal.
    ///
    /// A body that has not been decoded yet is decoded.
    public static func == (left: Self, right: Self) -> Bool {
        left.head == right.head && left.failure == right.failure && left.pace == right.pace
            && left.content == right.content && left.recordedChange === right.recordedChange
    }
}

/// A change of a recorded stub's response.
final class RecordedChange: Sendable {
    let response: @Sendable (Stub) -> StubResponse

    init(_ response: @escaping @Sendable (Stub) -> StubResponse) { self.response = response }
}

extension StubResponse: CustomStringConvertible {
    /// The status code, the length of the body and the error: `200, 12 bytes`, `200, 5 bytes, NSURLErrorDomain -1005`.
    ///
    /// Until a body has been read, its length is an upper bound.
    public var description: String {
        let length =
            switch content {
            case .data(let data)?: data.count.counting("byte")
            case .encoded(let maximumByteCount, _, _)?: "at most \(maximumByteCount.counting("byte"))"
            case nil: String?.none
            }
        let parts = [head.map { "\($0.statusCode)" }, length, failure.map { "\($0.domain) \($0.code)" }]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}

/// The body of a response: its bytes, or the base64 of a large one, which is decoded when it is asked for.
enum StubBody: Sendable {
    case data(Data)
    case encoded(maximumByteCount: Int, kept: Lock<Data?>, read: @Sendable () throws -> Data)

    /// Creates a body that is decoded when it is asked for; only a small one is kept then, to save memory.
    static func deferred(maximumByteCount: Int, read: @escaping @Sendable () throws -> Data) -> Self {
        .encoded(maximumByteCount: maximumByteCount, kept: Lock(nil), read: read)
    }

    private static let keptByteCount = 256 << 10

    /// The largest number of bytes that the body may have, which is known without reading it.
    var maximumByteCount: Int {
        switch self {
        case .data(let data): data.count
        case .encoded(let maximumByteCount, _, _): maximumByteCount
        }
    }

    /// Returns the body, or throws the reason why it cannot be decoded.
    func data() throws -> Data {
        switch self {
        case .data(let data): return data
        case .encoded(_, let kept, let read):
            if let data = kept.withLock({ $0 }) { return data }
            let data = try read()
            if data.count <= Self.keptByteCount { kept.withLock { $0 = data } }
            return data
        }
    }
}

extension StubBody: Equatable {
    /// Returns a Boolean value that indicates whether two bodies have the same bytes; an unreadable one equals itself.
    static func == (left: Self, right: Self) -> Bool {
        if case (.encoded(_, let left, _), .encoded(_, let right, _)) = (left, right), left === right { return true }
        guard let left = try? left.data(), let right = try? right.data() else { return false }
        return left == right
    }
}

/// The latest response that was made for a stub, kept for the next equal request.
struct PlayedResponse: Sendable {
    let url: URL
    let byteCount: Int
    /// A Boolean value that indicates whether the header fields are those of the stub, whatever the body is.
    let keepsFields: Bool
    let response: HTTPURLResponse
    /// A Boolean value that indicates whether the session takes part in the response.
    let needsSession: Bool
    /// The format of a body that the client reads part by part; `nil` for any other.
    let streamFormat: StreamFormat?
}
