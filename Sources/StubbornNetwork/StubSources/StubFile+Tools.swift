import Foundation

@_spi(Tools) extension StubFile {
    /// Returns the name of the stub file of a test, without its extension: `LoginTests_testLogin` for
    /// `-[LoginTests testLogin]`.
    ///
    /// The result is `nil` where nothing is left of the name.
    public static func fileName(forTest name: String) -> String? { StubFileLocation.fileName(for: name) }

    /// Lays a stub out as this library writes it.
    ///
    /// A stub with keys that this library does not know, or with its header fields in another order, gets the white space
    /// alone.
    public mutating func formatStub(at index: Int) {
        guard let text = try? text(ofStubAt: index), let value = JSONValue(text) else { return }
        for encoding in [BodyEncoding.base64, .readable] {
            let rendered = StubFile([stubs[index]], at: url, bodyEncoding: encoding)
            guard let written = try? rendered.text(ofStubAt: 0), JSONValue(written) == value else { continue }
            return replaceStub(at: index, withStubAt: 0, of: rendered)
        }
        var writer = JSONWriter(.indented(level: 1))
        writer.json(text)
        replaceStub(at: index, with: stubs[index], text: writer.output)
    }

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
    /// The recorded times: seconds to the first byte, and the chunks of the body; `nil` where none were recorded.
    public var timing: (secondsToFirstByte: Double, chunks: [(seconds: Double, byteCount: Int)])? {
        guard pace != .immediate else { return nil }
        return (pace.secondsToFirstByte, pace.chunks.map { ($0.seconds, $0.length) })
    }

    /// The number of bytes of the body, or the most that it can be where it is still in the stub file; `nil` without a
    /// body.
    public var bodyByteCount: Int? { content?.maximumByteCount }
}
