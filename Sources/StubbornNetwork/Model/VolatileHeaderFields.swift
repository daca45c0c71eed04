import Foundation

/// Header fields that differ between two responses although nothing has changed: clocks, ids of requests and traces, counters,
/// and the state of caches.
///
/// When you record again, a stub that differs only in the values of these fields keeps its bytes in the stub file. A field that
/// only one of the recordings has is a difference.
///
///     network.volatileHeaderFields = .standard.including("X-Build-*").excluding("X-Cache")
///
/// Names are compared without regard to case (RFC 9110, section 5.1). `*` in a name stands for any characters, or for none.
public struct VolatileHeaderFields: Sendable, Hashable {
    /// The names, in lower case; `!` is before a name that is excluded.
    private(set) var names: Set<String>
    /// The names with `*`, in pieces.
    private let patterns: [[[UInt8]]]

    /// Creates a set of names.
    ///
    /// If there are no names, every change of a header field changes the stub.
    public init(_ names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
        patterns = self.names.filter { $0.contains("*") }.sorted()
            .map { $0.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init) }
    }

    /// Returns these names and the given ones.
    public func including(_ names: String...) -> Self { including(names) }

    func including(_ names: some Sequence<String>) -> Self {
        let new = names.map { $0.lowercased() }
        return new.isEmpty ? self : Self(self.names.subtracting(new.map { "!" + $0 }).union(new))
    }

    /// Returns these names without the given ones.
    public func excluding(_ names: String...) -> Self {
        let excluded = names.map { $0.lowercased() }
        let rest = Self(self.names.subtracting(excluded))
        return Self(rest.names.union(excluded.filter(rest.contains).map { "!" + $0 }))
    }

    /// Returns a Boolean value that indicates whether a name is one of these.
    package func contains(_ name: String) -> Bool {
        let name = name.lowercased()
        if names.contains(name) { return true }
        return name.withBytes { bytes in patterns.contains { Self.has(bytes, $0) } } && !names.contains("!" + name)
    }

    /// Returns a Boolean value that indicates whether a name consists of these pieces and anything between them.
    private static func has(_ name: Bytes, _ pieces: [[UInt8]]) -> Bool {
        guard let first = pieces.first, let last = pieces.last, name.has(first, at: 0) else { return false }
        var start = first.count
        for piece in pieces.dropFirst().dropLast() {
            guard let found = name.position(of: piece, from: start) else { return false }
            start = found + piece.count
        }
        let end = name.count - last.count
        return end >= start && name.has(last, at: end)
    }

    /// The header fields that are volatile by default: clocks, ids, counters, proxies, machines, and the state of caches.
    ///
    /// Clocks and durations: `Date`, `Age`, `Expires`, `Last-Modified`, `Retry-After`, `*-Timing`, `*-Timer`, `*Runtime*`, `*-Time`,
    /// `*-MS`, `*Latency*`, `*Duration*`.
    ///
    /// Ids of requests and traces: `*Request-Id*`, `*RequestId*`, `*Correlation-Id*`, `*Trace*`, `X-*Tracking*`, `X-B3-*`, `b3`,
    /// and those of large clouds, such as `X-Azure-Ref`.
    ///
    /// Counters: `*RateLimit*`, `*Rate-Limit*`, `*Remaining*`, `*Usage*`, and `*Quota*`.
    ///
    /// Caches: `*Cache-Status`, `X-*Cache*`, and `ETag`, which is the server's name for the version of a response.
    ///
    /// Proxies and content networks: `Via`, `X-Proxied*`, `X-*Proxy*`, `X-Envoy-*`, `CF-*`, `X-Amz-Cf-*`, `*Fastly-*`,
    /// `*Akamai-*`, `X-Varnish*`, `Alt-Svc`, `NEL`, `Report-To`.
    ///
    /// Machines, and versions of a server: `Server`, `*Served-By`, `X-*Server`, `X-Server*`, `X-*Backend*`, `X-*Node`,
    /// `X-*Instance`, `X-*Host`, `X-*Pod`, `X-Powered-By`, `X-*Version-Label`.
    ///
    /// Made by clients for each request: `*Idempotency-Key`, `*Invocation-Id`, `X-Amz-Date`, `X-MS-Date`, `Amz-Sdk-Request`.
    public static let standard = Self([
        "Date", "Age", "Expires", "Last-Modified", "Retry-After", "*-Timing", "*-Timer", "*Runtime*", "*-Time",
        "*-MS", "*Latency*", "*Duration*",
        "*Request-Id*", "*RequestId*", "*Correlation-Id*", "*Trace*", "X-*Tracking*", "X-B3-*", "b3", "X-Amz-Id-2",
        "X-Azure-Ref", "X-Vercel-Id",
        "*RateLimit*", "*Rate-Limit*", "*Remaining*", "*Usage*", "*Quota*",
        "*Cache-Status", "X-*Cache*", "ETag",
        "Via", "X-Proxied*", "X-*Proxy*", "X-Envoy-*", "CF-*", "X-Amz-Cf-*", "*Fastly-*", "*Akamai-*", "X-Varnish*",
        "Alt-Svc", "NEL", "Report-To",
        "Server", "*Served-By", "X-*Server", "X-Server*", "X-*Backend*", "X-*Node", "X-*Instance", "X-*Host", "X-*Pod",
        "X-Powered-By", "X-*Version-Label",
        "*Idempotency-Key", "*Invocation-Id", "X-Amz-Date", "X-MS-Date", "Amz-Sdk-Request",
    ])

    /// The fields that describe the bytes of a body, and differ between two spellings of the same JSON.
    static let ofBody = Self([
        "Content-Length", "Content-MD5", "*Digest", "ETag", "*CRC32*", "*Checksum*",
    ])
}
