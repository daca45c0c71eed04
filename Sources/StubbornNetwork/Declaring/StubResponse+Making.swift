import Foundation

extension StubResponse {
    /// Returns a response without a body.
    public static func status(_ statusCode: Int, headers: HeaderFields = [:]) -> StubResponse {
        StubResponse(head: ResponseHead(statusCode: statusCode, headers: headers))
    }

    /// Returns an `application/json` response with the encoded value.
    ///
    /// Keys are sorted.
    ///
    /// If the value cannot be encoded, the stub's requests fail with `StubbornNetworkError.Code.invalidStub`.
    public static func json(
        _ value: some Encodable,
        statusCode: Int = 200,
        headers: HeaderFields = [:],
        encoder: JSONEncoder? = nil
    ) -> StubResponse {
        do {
            let body = try (encoder ?? .sortingKeys()).encode(value)
            return data(body, contentType: "application/json", statusCode: statusCode, headers: headers)
        } catch {
            return invalid("A stub's response cannot be encoded as JSON: \(error)", cause: error)
        }
    }

    /// Returns an `application/json` response with a JSON literal of mixed types.
    ///
    ///     .json(["id": 42, "name": "Ada", "tags": ["a"], "manager": nil])
    ///     .json(["id": .value(user.id), "name": "Ada"])           // the value of a variable
    ///
    /// Keys are sorted.
    public static func json(
        _ literal: JSONLiteral,
        statusCode: Int = 200,
        headers: HeaderFields = [:]
    ) -> StubResponse {
        let body = JSONEdit.body(nil, changedTo: literal.value)
        guard JSONValue(body) != nil else {
            return invalid("A stub's response has a number that is not finite, which JSON cannot represent.")
        }
        return data(body, contentType: "application/json", statusCode: statusCode, headers: headers)
    }

    /// Returns a `text/plain` response in UTF-8.
    public static func text(_ text: String, statusCode: Int = 200, headers: HeaderFields = [:]) -> StubResponse {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", statusCode: statusCode, headers: headers)
    }

    /// Returns a `text/html` response in UTF-8.
    public static func html(_ html: String, statusCode: Int = 200, headers: HeaderFields = [:]) -> StubResponse {
        data(Data(html.utf8), contentType: "text/html; charset=utf-8", statusCode: statusCode, headers: headers)
    }

    /// Returns a response with bytes.
    ///
    /// Your header fields replace the `Content-Type` and `Content-Length` that this function adds.
    public static func data(
        _ data: Data,
        contentType: String = "application/octet-stream",
        statusCode: Int = 200,
        headers: HeaderFields = [:]
    ) -> StubResponse {
        var fields = headers
        if fields["Content-Type"] == nil { fields.append(name: "Content-Type", value: contentType) }
        if fields["Content-Length"] == nil { fields.append(name: "Content-Length", value: String(data.count)) }
        return StubResponse(head: ResponseHead(statusCode: statusCode, headers: fields), body: data)
    }

    /// Returns a response that fails with an error, which the client receives unchanged.
    public static func failure(_ error: any Error) -> StubResponse {
        StubResponse(failure: StubFailure(error))
    }

    /// Returns a response with the contents of a file.
    ///
    /// The content type is inferred from the file's extension.
    ///
    /// If the file cannot be read, the stub's requests fail with `StubbornNetworkError.Code.invalidStub`.
    public static func file(at url: URL, statusCode: Int = 200, headers: HeaderFields = [:]) -> StubResponse {
        guard url.isFileURL else {
            return invalid(
                "The file for a stub is \(url.absoluteString), which is not a file URL. Create it with URL(fileURLWithPath:)."
            )
        }
        do {
            let body = try Data(contentsOf: url)
            let type = URL.mediaTypes[url.pathExtension.lowercased()] ?? "application/octet-stream"
            return data(body, contentType: type, statusCode: statusCode, headers: headers)
        } catch {
            return invalid(
                "The file for a stub cannot be read: \(url.path): \(error.localizedDescription)",
                cause: error
            )
        }
    }

    /// Returns a response with the contents of a bundle resource, usually from `.module`.
    ///
    /// If there is no such resource, requests fail with an error. `name` includes the extension. For a resource in a
    /// folder of the bundle, it is a path.
    public static func fixture(
        _ name: String,
        in bundle: Bundle,
        statusCode: Int = 200,
        headers: HeaderFields = [:],
        responseTime: DispatchTimeInterval? = nil
    ) -> StubResponse {
        let directories = [bundle.resourceURL, bundle.bundleURL].compactMap { $0 }
        return fixture(name, in: directories, advice: "Add it to the target's resources.") { file in
            .file(at: file, statusCode: statusCode, headers: headers).delayed(by: responseTime ?? .seconds(0))
        }
    }

    /// Returns a response with the contents of a file next to the test.
    ///
    /// If there is no such file, requests fail with an error. The file may also be in a folder `Fixtures` or
    /// `Resources` next to the test, or `name` may be a path. The content type is inferred from the extension.
    ///
    ///     network.stub(.get("/items"), with: .fixture("items.json"))
    ///     network.stub(.post("/items"), with: .fixture("item.json", statusCode: 201, headers: ["Location": "/items/42"]))
    public static func fixture(
        _ name: String,
        statusCode: Int = 200,
        headers: HeaderFields = [:],
        responseTime: DispatchTimeInterval? = nil,
        beside file: StaticString = #filePath
    ) -> StubResponse {
        let directory = URL(fileURLWithPath: "\(file)").deletingLastPathComponent()
        let directories = [directory] + ["Fixtures", "Resources"].map { directory.appendingPathComponent($0) }
        return fixture(name, in: directories, advice: "Put it next to the test.") { file in
            .file(at: file, statusCode: statusCode, headers: headers).delayed(by: responseTime ?? .seconds(0))
        }
    }

    private static func fixture(
        _ name: String,
        in directories: [URL],
        advice: String,
        _ response: (URL) -> StubResponse
    ) -> StubResponse {
        let files = directories.map { $0.appendingPathComponent(name) }
        guard let found = files.first(where: { FileSystem.exists($0.path) }) else {
            let searched = files.map(\.path).joined(separator: ", ")
            return invalid("There is no fixture \"\(name)\". Searched: \(searched). \(advice)")
        }
        return response(found)
    }

    static func invalid(_ message: String, cause: (any Error)? = nil) -> StubResponse {
        .failure(StubbornNetworkError(.invalidStub, message, underlyingError: cause))
    }
}

extension StubResponse {
    /// Returns the response with a delay before it begins.
    ///
    /// Several delays are added together. The request may time out before they end. A negative interval adds no delay.
    public func delayed(by interval: DispatchTimeInterval) -> StubResponse {
        var response = self
        response.pace.secondsToFirstByte += interval.seconds
        return response
    }

    /// Returns the response with a slow connection's latency and rate.
    ///
    /// The body arrives in parts.
    public func throttled(to link: Link) -> StubResponse {
        var response = delayed(by: link.latency)
        response.pace.bytesPerSecond = link.bytesPerSecond
        return response
    }
}

extension StubResponse {
    /// A slow connection: its rate and its latency.
    ///
    ///     network.stub(.path("/film"), with: .file(at: url).throttled(to: .threeG))
    ///     network.stub(.path("/film"), with: .file(at: url).throttled(to: .init(bytesPerSecond: 50_000)))
    public struct Link: Sendable {
        /// The rate at which the body arrives; at least one byte per second.
        let bytesPerSecond: Int
        /// The time until the head of the response arrives.
        let latency: DispatchTimeInterval

        /// Creates a connection.
        ///
        /// The rate is at least one byte per second.
        public init(bytesPerSecond: Int, latency: DispatchTimeInterval = .milliseconds(0)) {
            self.bytesPerSecond = max(1, bytesPerSecond)
            self.latency = latency
        }

        /// 30 kB/s after 400 ms.
        public static let edge = Link(bytesPerSecond: 30_000, latency: .milliseconds(400))
        /// 100 kB/s after 100 ms.
        public static let threeG = Link(bytesPerSecond: 100_000, latency: .milliseconds(100))
        /// 1.25 MB/s after 50 ms.
        public static let fourG = Link(bytesPerSecond: 1_250_000, latency: .milliseconds(50))
        /// 5 MB/s after 5 ms.
        public static let wiFi = Link(bytesPerSecond: 5_000_000, latency: .milliseconds(5))
    }
}

extension DispatchTimeInterval {
    /// The interval in seconds, at least 0; a year for `.never`.
    package var seconds: Double {
        switch self {
        case .seconds(let count): Double(max(0, count))
        case .milliseconds(let count): Double(max(0, count)) / 1_000
        case .microseconds(let count): Double(max(0, count)) / 1_000_000
        case .nanoseconds(let count): Double(max(0, count)) / 1_000_000_000
        case .never: Delay.longest
        @unknown default: 0
        }
    }
}

extension URL {
    /// The content types by extension, in lower case.
    static let mediaTypes = [
        "json": "application/json", "xml": "application/xml", "txt": "text/plain; charset=utf-8",
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "csv": "text/csv; charset=utf-8",
        "md": "text/markdown; charset=utf-8", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "webp": "image/webp", "svg": "image/svg+xml", "heic": "image/heic",
        "pdf": "application/pdf", "zip": "application/zip", "mp3": "audio/mpeg", "m4a": "audio/mp4",
        "mp4": "video/mp4", "mov": "video/quicktime", "wasm": "application/wasm",
    ]
}
