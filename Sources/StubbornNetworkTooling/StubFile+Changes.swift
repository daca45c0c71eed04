import Foundation
import StubbornNetwork

extension StubFile {
    /// Returns the name of the stub file of a test, without its extension: `LoginTests_testLogin` for
    /// `-[LoginTests testLogin]`.
    ///
    /// The result is `nil` if nothing is left of the name.
    @_spi(Tools) public static func fileName(forTest name: String) -> String? { StubFileLocation.fileName(for: name) }

    /// Formats all stubs the way this library writes them.
    ///
    /// A stub with keys that this library does not know, or with its header fields in a different order, changes only
    /// in its white space.
    @_spi(Tools) public mutating func format() {
        document.entries = document.entries.map { entry in
            let text = entry.json
            guard let value = JSONValue(text) else { return entry }
            for encoding in [BodyEncoding.base64, .readable] {
                let rendered = StubFileEntry(rendering: entry.stub, bodyEncoding: encoding)
                if JSONValue(rendered.json) == value { return rendered.json == text ? entry : rendered }
            }
            var writer = JSONWriter(.indented(level: 1))
            writer.json(text)
            return writer.output == text ? entry : StubFileEntry(entry.stub, writer.output)
        }
    }

    /// Replaces a stub with a different stub, and keeps the keys that this library does not know.
    ///
    /// The bodies have the encoding of the old stub's bodies.
    ///
    /// - Returns: A Boolean value that indicates whether there are such keys.
    public mutating func replaceStub(at index: Int, with stub: Stub) throws -> Bool {
        let old = document.entries[index]
        if let encoding = old.bodyEncoding {
            document.entries[index] = StubFileEntry(rendering: stub, bodyEncoding: encoding)
            return false
        }
        let oldText = JSONText(old.json) ?? .object([])
        let new = StubFileEntry(rendering: stub, bodyEncoding: oldText.hasReadableBody ? .readable : .base64)
        let newText = JSONText(new.json)?.addingUnknownMembers(of: oldText)
        var writer = JSONWriter(.indented(level: 1))
        writer.json(newText.map { Data($0.text.utf8) } ?? new.json)
        document.entries[index] = StubFileEntry(stub, writer.output)
        return true
    }

    /// Returns JSON with one element on each line, as in a stub file; `nil` for a string that is not JSON.
    ///
    /// The order of keys, and the spelling of numbers and strings, are kept.
    @_spi(Tools) public static func indentedJSON(_ text: Data) -> Data? {
        var writer = JSONWriter(.indented(level: 0))
        return writer.json(text) ? writer.output : nil
    }

    /// Returns the decompressed body, if it is in gzip or deflate; `nil` for any other body.
    @_spi(Tools) public static func inflated(_ body: Data) -> Data? {
        body.withBytes { Inflation.inflate($0) }.map { Data($0) }
    }

    /// Returns the boundary of a multipart content type; `nil` for any other type, and without a boundary.
    @_spi(Tools) public static func multipartBoundary(ofContentType contentType: String) -> String? {
        let type = ContentType(contentType)
        return type.isMultipart ? type.boundary : nil
    }

    /// Returns the parts of a multipart body with their header fields as they are written; `nil` for any other body.
    @_spi(Tools) public static func multipart(_ body: Data, contentType: String) -> [(head: Data, content: Data)]? {
        guard let boundary = multipartBoundary(ofContentType: contentType) else { return nil }
        return body.withBytes { bytes in
            Multipart.parts(of: bytes, boundary: boundary)?.map { part in
                (Data(bytes.part(part.head)), Data(bytes.part(part.content)))
            }
        }
    }
}

extension StubResponse {
    /// Creates a response that ends with an error, after a head and a body if there were any.
    @_spi(Tools) public static func failing(
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

    /// Returns the response with recorded times.
    @_spi(Tools) public func timed(
        secondsToFirstByte: Double,
        chunks: [(seconds: Double, byteCount: Int)]
    ) -> StubResponse {
        var response = self
        response.pace.secondsToFirstByte = secondsToFirstByte
        response.pace.chunks = chunks.map { Pace.Chunk(seconds: $0.seconds, length: $0.byteCount) }
        return response
    }

    /// The recorded times: seconds to the first byte, and the chunks of the body; `nil` if none were recorded.
    @_spi(Tools) public var timing: (secondsToFirstByte: Double, chunks: [(seconds: Double, byteCount: Int)])? {
        guard pace != .immediate else { return nil }
        return (pace.secondsToFirstByte, pace.chunks.map { ($0.seconds, $0.length) })
    }
}

extension VolatileHeaderFields {
    /// Returns a Boolean value that indicates whether a name is one of these.
    @_spi(Tools) public func includes(_ name: String) -> Bool { contains(name) }
}

extension JSONText {
    /// A Boolean value that indicates whether a stub has a body that a person can read.
    fileprivate var hasReadableBody: Bool {
        guard case .object(let members) = self else { return false }
        return members.contains { member in
            StubFileKey.bodies(in: .readable).contains(member.name)
                || member.name == "request" && member.value.hasReadableBody
        }
    }

    /// Returns a stub, or a part of one, with the members of its older version that this library does not know.
    fileprivate func addingUnknownMembers(of old: JSONText, in part: String = "stub") -> JSONText {
        guard case .object(var members) = self, case .object(let old) = old, let known = StubFileKey.known[part]
        else { return self }
        for index in members.indices where part == "stub" {
            guard let earlier = old.first(where: { $0.name == members[index].name }) else { continue }
            members[index].value = members[index].value.addingUnknownMembers(of: earlier.value, in: earlier.name)
        }
        return .object(members + old.filter { !known.contains($0.name) })
    }
}

extension StubFileKey {
    /// The keys of a stub, and of each of its members, by the key of the member.
    package static let known = [
        "stub": keys(OfStub.self), "request": keys(OfRequest.self), "response": keys(OfResponse.self),
        "error": keys(OfError.self), "timing": keys(OfTiming.self),
    ]

    private static func keys<Key: CaseIterable & RawRepresentable<String>>(_ type: Key.Type) -> Set<String> {
        Set(type.allCases.map(\.rawValue))
    }
}
