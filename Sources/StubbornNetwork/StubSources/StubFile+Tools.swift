import Foundation

@_spi(Tools) extension StubFile {
    /// Returns the name of the stub file of a test, without its extension: `LoginTests_testLogin` for
    /// `-[LoginTests testLogin]`.
    ///
    /// The result is `nil` where nothing is left of the name.
    public static func fileName(forTest name: String) -> String? { StubFileLocation.fileName(for: name) }

    /// Lays all stubs out as this library writes them.
    ///
    /// A stub with keys that this library does not know, or with its header fields in another order, gets the white space
    /// alone.
    public mutating func format() {
        document.entries = document.entries.map { entry in
            guard let text = try? entry.data(), let value = JSONValue(text) else { return entry }
            for encoding in [BodyEncoding.base64, .readable] {
                let rendered = StubFileEntry(rendering: entry.stub, bodyEncoding: encoding)
                guard let written = try? rendered.data(), JSONValue(written) == value else { continue }
                return written == text ? entry : rendered
            }
            var writer = JSONWriter(.indented(level: 1))
            writer.json(text)
            return writer.output == text ? entry : StubFileEntry(entry.stub, writer.output)
        }
    }

    /// Returns the encoding of a stub's bodies; `nil` for a stub with keys that this library does not know, which are lost
    /// when the stub is replaced.
    public func bodyEncoding(ofStubAt index: Int) -> BodyEncoding? { document.entries[index].bodyEncoding }

    /// Returns JSON with an element a line, as it is in a stub file; `nil` for a text that is not JSON.
    ///
    /// Keys keep their order, numbers and texts their spelling.
    public static func indentedJSON(_ text: Data) -> Data? {
        guard JSONText.compact(body: text) != nil else { return nil }
        var writer = JSONWriter(.indented(level: 0))
        writer.json(text)
        return writer.output
    }

    /// Returns a body in gzip or deflate without its content encoding; `nil` for another body.
    public static func inflated(_ body: Data) -> Data? { body.withBytes { Inflation.inflate($0) }.map { Data($0) } }

    /// Returns the parts of a multipart body with their header fields as they are written; `nil` for another body.
    public static func multipart(_ body: Data, contentType: String) -> [(head: Data, content: Data)]? {
        let type = ContentType(contentType)
        guard type.isMultipart, let boundary = type.boundary else { return nil }
        return body.withBytes { bytes in
            "--\(boundary)".withBytes { Multipart.parts(of: bytes, delimiter: $0) }?.map { part in
                (Data(bytes.part(part.head)), Data(bytes.part(part.content)))
            }
        }
    }
}

@_spi(Tools) extension StubResponse {
    /// Creates a response that ends with an error, after a head and a body if there were any.
    public static func failing(
        domain: String,
        code: Int,
        description: String?,
        head: ResponseHead? = nil,
        body: Data? = nil
    ) -> StubResponse {
        StubResponse(
            failure: StubFailure(domain: domain, code: code, description: description),
            head: head,
            body: head == nil ? nil : body
        )
    }

    /// Returns the response with times, as they are recorded.
    public func timed(secondsToFirstByte: Double, chunks: [(seconds: Double, byteCount: Int)]) -> StubResponse {
        var response = self
        response.pace = Pace(
            secondsToFirstByte: secondsToFirstByte,
            chunks: chunks.map { Pace.Chunk(seconds: $0.seconds, length: $0.byteCount) }
        )
        return response
    }

    /// The recorded times: seconds to the first byte, and the chunks of the body; `nil` where none were recorded.
    public var timing: (secondsToFirstByte: Double, chunks: [(seconds: Double, byteCount: Int)])? {
        guard pace != .immediate else { return nil }
        return (pace.secondsToFirstByte, pace.chunks.map { ($0.seconds, $0.length) })
    }

    /// The number of bytes of the body, or the most that it can be where it is still in the stub file; `nil` without a
    /// body.
    public var bodyByteCount: Int? { content?.maximumByteCount }
}
