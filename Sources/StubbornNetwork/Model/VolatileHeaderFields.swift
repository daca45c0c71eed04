/// Header fields that differ between two responses although nothing has changed: clocks, ids of requests and traces, and
/// the state of caches.
///
/// When you record again, a stub that differs only in the values of these fields keeps its bytes in the stub file. A field that
/// only one of the recordings has is a difference.
///
///     network.volatileHeaderFields = .standard.including("X-Build-Number").excluding("X-Cache")
///
/// Names are compared without regard to case (RFC 9110, section 5.1).
public struct VolatileHeaderFields: Sendable, Hashable {
    /// The names, in lower case.
    private(set) var names: Set<String>

    /// Creates a set of names.
    ///
    /// If there are no names, every change of a header field changes the stub.
    public init(_ names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Returns these names and the given ones.
    public func including(_ names: String...) -> Self { Self(self.names.union(names.map { $0.lowercased() })) }

    func including(_ names: some Sequence<String>) -> Self { Self(self.names.union(names.map { $0.lowercased() })) }

    /// Returns these names without the given ones.
    public func excluding(_ names: String...) -> Self { Self(self.names.subtracting(names.map { $0.lowercased() })) }

    /// Returns a Boolean value that indicates whether a name is one of these.
    public func contains(_ name: String) -> Bool { names.contains(name.lowercased()) }

    /// The header fields that are volatile by default: clocks, ids, the state of caches, counters, and `ETag`.
    ///
    /// Clocks: `Date`, `Age`, `Expires`, `Server-Timing`, `X-Runtime`, `X-Response-Time`, `X-Timer`,
    /// `X-Envoy-Upstream-Service-Time`.
    ///
    /// Ids: `Request-Id`, `X-Request-Id`, `X-Correlation-Id`, `X-Trace-Id`, `traceparent`, `tracestate`, `b3` and
    /// similar ones, and those of the large clouds and content networks, such as `X-Amzn-Trace-Id` and `CF-Ray`.
    ///
    /// Caches: `X-Cache`, `X-Cache-Hits`, `X-Served-By`, `CF-Cache-Status`, `X-Amz-Cf-Pop`, `Report-To`, and `ETag`, which
    /// is the server's name for the version of a response.
    ///
    /// Made by clients for each request: `X-Amz-Date`, `X-MS-Date`, `Idempotency-Key`, `X-Idempotency-Key`,
    /// `X-Client-Request-Id`, `X-MS-Client-Request-Id`, `Amz-Sdk-Invocation-Id`, `Amz-Sdk-Request`.
    ///
    /// Counters: `X-RateLimit-Remaining`, `X-RateLimit-Reset`, `X-RateLimit-Used`, `RateLimit-Remaining`,
    /// `RateLimit-Reset`.
    public static let standard = Self([
        "Date", "Age", "Expires", "Server-Timing", "X-Runtime", "X-Response-Time", "X-Timer",
        "X-Envoy-Upstream-Service-Time",
        "Request-Id", "X-Request-Id", "Correlation-Id", "X-Correlation-Id", "X-Trace-Id", "traceparent", "tracestate",
        "b3", "X-B3-TraceId", "X-B3-SpanId", "X-B3-ParentSpanId", "X-B3-Sampled", "X-Amzn-Trace-Id", "X-Amzn-RequestId",
        "X-Amz-Request-Id", "X-Amz-Id-2", "X-Amz-Cf-Id", "X-Cloud-Trace-Context", "X-MS-Request-Id",
        "X-GitHub-Request-Id", "X-Vercel-Id", "Fly-Request-Id", "CF-Ray",
        "X-Cache", "X-Cache-Hits", "X-Served-By", "CF-Cache-Status", "X-Amz-Cf-Pop", "Report-To", "ETag",
        "X-Amz-Date", "X-MS-Date", "Idempotency-Key", "X-Idempotency-Key", "X-Client-Request-Id",
        "X-MS-Client-Request-Id", "Amz-Sdk-Invocation-Id", "Amz-Sdk-Request",
        "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Used", "RateLimit-Remaining", "RateLimit-Reset",
    ])

    /// The fields that describe the bytes of a body, and differ between two spellings of the same JSON.
    static let ofBody = Self([
        "Content-Length", "Content-MD5", "Content-Digest", "Digest", "ETag", "Repr-Digest",
    ])
}
