import Foundation
import Testing

@testable import StubbornNetwork

/// The tables of responses: content types, slow connections, faults, intervals and limits.
@Suite(.timeLimit(.minutes(5)))
struct ResponseTableTests {
    private static let url = URL(string: "https://api.test/items")!

    private func network(_ response: StubResponse) -> StubbornNetwork {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: response)
        return network
    }

    /// The content types in the register of IANA, by the usual extension.
    private static let types = [
        "json": "application/json", "xml": "application/xml", "txt": "text/plain", "html": "text/html",
        "htm": "text/html",
        "css": "text/css", "js": "text/javascript", "csv": "text/csv", "md": "text/markdown", "png": "image/png",
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "svg": "image/svg+xml",
        "heic": "image/heic", "pdf": "application/pdf", "zip": "application/zip", "mp3": "audio/mpeg",
        "m4a": "audio/mp4",
        "mp4": "video/mp4", "mov": "video/quicktime", "wasm": "application/wasm",
    ]

    @Test func `each extension with a content type is tested`() {
        #expect(Set(URL.mediaTypes.keys) == Set(Self.types.keys))
    }

    @Test(
        arguments: types.sorted { $0.key < $1.key }.map { [$0.key, $0.value] } + [["none", "application/octet-stream"]]
    )
    func `a file has the content type of its extension, in any case`(row: [String]) async throws {
        let directory = TemporaryDirectory()
        for name in ["a.\(row[0])", "A.\(row[0].uppercased())", "b.json.\(row[0].capitalized)"] {
            try directory.write("x", to: name)
            let (_, response) = try network(.file(at: directory.file(name))).response(to: URLRequest(url: Self.url))
            let type = try #require(response.field("Content-Type"))
            #expect(type.split(separator: ";").first.map(String.init) == row[1], "\(name)")
            #expect((type == "\(row[1]); charset=utf-8") == row[1].hasPrefix("text/"), "\(name)")
        }
    }

    @Test(arguments: [
        (StubResponse.Link.edge, 30_000, 0.4), (.threeG, 100_000, 0.1), (.fourG, 1_250_000, 0.05),
        (.wiFi, 5_000_000, 0.005),
        (.init(bytesPerSecond: 2), 2, 0), (.init(bytesPerSecond: 1), 1, 0), (.init(bytesPerSecond: 0), 1, 0),
        (.init(bytesPerSecond: -1), 1, 0),
    ])
    func `a slow connection has its rate, of at least one byte a second, and its latency`(
        link: StubResponse.Link,
        rate: Int,
        seconds: Double
    ) {
        let pace = StubResponse.text("a").delayed(by: .seconds(1)).throttled(to: link).pace
        #expect(pace.bytesPerSecond == rate)
        #expect(abs(pace.secondsToFirstByte - 1 - seconds) < 1e-9)
    }

    @Test func `a declared response that is not HTTP has its type`() async throws {
        let url = try #require(URL(string: "https://api.example.com/a"))
        let network = StubbornNetwork(.ephemeral, environment: [:])
        let declared = URLResponse(
            url: url,
            mimeType: "text/plain",
            expectedContentLength: 3,
            textEncodingName: "utf-8"
        )
        network.stub(URLRequest(url: url), data: Data("abc".utf8), response: declared)
        let (data, response) = try await network.session.data(from: url)
        #expect(data == Data("abc".utf8))
        #expect(response.mimeType == "text/plain")
    }

    @Test func `a delay can be part of a second, delays add up, and a negative one is none`() {
        let response = StubResponse.text("a").delayed(by: .milliseconds(250))
        #expect(response.pace.secondsToFirstByte == 0.25)
        #expect(
            response.delayed(by: .milliseconds(250)).delayed(by: .milliseconds(-500)).pace.secondsToFirstByte == 0.5
        )
    }

    @Test(
        arguments: [
            (DispatchTimeInterval.seconds(2), 2), (.milliseconds(2), 0.002), (.microseconds(2), 0.000_002),
            (.nanoseconds(2), 0.000_000_002), (.never, 31_536_000), (.seconds(0), 0), (.seconds(-1), 0),
            (.milliseconds(-1), 0), (.microseconds(-1), 0), (.nanoseconds(-1), 0),
        ] as [(DispatchTimeInterval, Double)]
    )
    func `an interval in any unit is in seconds, and never negative`(interval: DispatchTimeInterval, seconds: Double) {
        #expect(interval.seconds == seconds)
    }

    @Test(arguments: [(1, 1.0), (0.5, 0.5), (0, 0), (-1, 0), (.infinity, 0), (.nan, 0)] as [(Double, Double)])
    func `a speed that is not a positive number means no delay`(factor: Double, expected: Double) {
        #expect(PlaybackSpeed.delays(scaledBy: factor).factor == expected)
    }

    @Test(arguments: [
        (9_999, 1, 9_999, 1), (10_000, 1, 10_000, 1), (10_001, 1, 5_001, 2), (19_999, 1, 10_000, 2),
        (20_000, 1, 10_000, 2),
        (20_001, 1, 6_667, 3), (20_001, 3, 6_667, 3), (1, 2, 1, 1), (2, 2, 1, 2), (3, 2, 2, 2), (3, 0, 3, 1),
        (3, -1, 3, 1),
    ])
    func `a body has at most ten thousand parts, of at least one byte each`(
        count: Int,
        byteCount: Int,
        parts: Int,
        length: Int
    ) {
        let response = StubResponse.data(Data(count: count)).chunked(byteCount: byteCount, every: .nanoseconds(0))
        #expect(response.pace.chunks.count == parts)
        #expect(response.pace.chunks.first?.length == length)
        #expect(response.pace.chunks.reduce(0) { $0 + $1.length } == count)
    }

    @Test(arguments: [(-1, false), (0, true), (1, true), (998, true), (999, true), (1_000, false)])
    func `a status from 0 to 999 is delivered, and any other is an error`(status: Int, isDelivered: Bool) {
        let network = network(.status(status))
        if isDelivered {
            #expect((try? network.response(to: URLRequest(url: Self.url)).1)?.status == status)
        } else {
            let error = #expect(throws: StubbornNetworkError.self) {
                try network.response(to: URLRequest(url: Self.url))
            }
            #expect(error?.code == .invalidStub)
            #expect(error?.message.contains("\(status)") == true)
        }
    }

    @Test(arguments: StubFault.Kind.allCases, [1, 9, 10, 11])
    func `a client sees each kind of fault`(kind: StubFault.Kind, byteCount: Int) throws {
        let body = Data((0..<byteCount).map { UInt8($0) })
        let recorded = StubResponse.data(body, contentType: "application/json")
        let faults = StubFault.all(of: Stub(request: .get("https://api.test/items"), response: recorded))
        #expect(faults.map(\.kind) == StubFault.Kind.allCases)
        let fault = try #require(faults.first { $0.kind == kind })
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(fault)
        let result = Result { try network.response(to: URLRequest(url: Self.url)) }
        let (data, response) = ((try? result.get())?.0, (try? result.get())?.1)
        func failsWith(_ code: URLError.Code) {
            let error = #expect(throws: URLError.self) { try result.get() }
            #expect(error?.code == code)
        }
        switch kind {
        case .timeout: failsWith(.timedOut)
        case .connectionLost: failsWith(.networkConnectionLost)
        case .serverError: #expect(response?.status == 500 && data?.isEmpty == true)
        case .unauthorized: #expect(response?.status == 401 && response?.field("WWW-Authenticate") == "Bearer")
        case .tooManyRequests: #expect(response?.status == 429 && response?.field("Retry-After") == "1")
        case .truncatedBody: #expect(response?.status == 200 && data == body.prefix(byteCount / 2))
        case .wrongContentType: #expect(response?.field("Content-Type") == "text/html" && data == body)
        case .slowBody:
            #expect(data == body)
            let chunks = fault.response.pace.chunks
            #expect(chunks.count <= 10 && chunks.count >= min(byteCount, 6))
            #expect(chunks.enumerated().allSatisfy { abs($0.element.seconds - Double($0.offset) * 0.05) < 1e-9 })
        }
    }

    @Test func `the documented header fields are volatile, in any case, and fields that name a thing are not`() {
        let names = [
            "Date", "Age", "Expires", "Server-Timing", "X-Runtime", "X-Response-Time", "X-Render-Time", "X-Timer",
            "X-Envoy-Upstream-Service-Time", "Request-Id", "X-Request-Id", "Correlation-Id", "X-Correlation-Id",
            "X-Trace-Id", "traceparent", "tracestate", "b3", "X-B3-TraceId", "X-B3-SpanId", "X-B3-ParentSpanId",
            "X-B3-Sampled", "X-Amzn-Trace-Id", "X-Amzn-RequestId", "X-Amz-Request-Id", "X-Amz-Id-2", "X-Amz-Cf-Id",
            "X-Cloud-Trace-Context", "X-MS-Request-Id", "X-GitHub-Request-Id", "X-Vercel-Id", "Fly-Request-Id",
            "CF-Ray", "Last-Modified", "Via", "Alt-Svc", "NEL", "X-Proxied", "X-Proxy-Cache",
            "X-Envoy-Decorator-Operation",
            "X-Fastly-Request-ID", "Fastly-Restarts", "X-Akamai-Transformed", "X-Varnish", "X-Powered-By",
            "X-Version-Label", "X-Reddit-Tracking", "X-Host", "X-Runtime-Pod",
            "X-Cache", "X-Cache-Hits", "X-Served-By", "CF-Cache-Status", "X-Amz-Cf-Pop", "Report-To", "ETag",
            "X-Amz-Date", "X-MS-Date", "Idempotency-Key", "X-Idempotency-Key", "X-Client-Request-Id",
            "X-MS-Client-Request-Id", "Amz-Sdk-Invocation-Id", "Amz-Sdk-Request",
            "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Used", "RateLimit-Remaining", "RateLimit-Reset",
        ]
        // The same kinds of fields of other servers.
        let others = [
            "X-Acme-Latency", "X-Queue-Duration-Seconds", "llm-processing-ms", "X-App-RateLimit-Tokens-Remaining",
            "x-rate-limit-reset", "Retry-After", "X-Acme-Trace", "x-acme-requestid", "Acme-Cache-Status",
            "X-Tokens-Remaining", "X-App-Usage", "X-Quota-Used", "X-Acme-Cache", "X-BEServer", "X-Server-Id",
        ]
        for name in [
            "Content-Type", "Location", "Link", "X-Total-Count", "X-Account-Id", "X-Version", "X-Limit",
            "API-Version", "X-Hostname", "Profile", "Proxy-Authenticate",
            "X-Request", "Set-Cookie", "Cache-Control", "X-Times", "X-Amz-Server-Side-Encryption",
        ] {
            #expect(!VolatileHeaderFields.standard.contains(name), "\(name)")
        }
        for name in names + others {
            for spelling in [name, name.lowercased(), name.uppercased()] {
                #expect(VolatileHeaderFields.standard.contains(spelling), "\(spelling)")
                #expect(!VolatileHeaderFields.standard.excluding(spelling).contains(name), "\(spelling)")
                #expect(VolatileHeaderFields([]).including(spelling).contains(name), "\(spelling)")
                #expect(VolatileHeaderFields.standard.excluding(spelling).including(name).contains(name))
            }
        }
        let family = VolatileHeaderFields(["X-*-Build", "*-Node*"]).excluding("X-Acme-Build")
        #expect(family.contains("x-any-build") && family.contains("Acme-Node") && family.contains("x-node-name"))
        #expect(!family.contains("X-Acme-Build") && !family.contains("X-Build") && !family.contains("Y-X-A-Build"))
    }
}
