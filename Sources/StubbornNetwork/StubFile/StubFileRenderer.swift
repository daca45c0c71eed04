import Foundation

extension StubFileEntry {
    /// Creates the entry that is written for a stub.
    package convenience init(rendering stub: Stub, bodyEncoding: BodyEncoding) {
        let renderer = StubFileRenderer(bodyEncoding: bodyEncoding)
        self.init(stub, renderer.text(of: stub), longBodies: renderer.long.bodies)
    }

    /// Returns the keys of a stub and its request, including the keys of bodies, for an encoding.
    static func bodyKeys(of stub: Stub, in bodyEncoding: BodyEncoding) -> Set<String> {
        let renderer = StubFileRenderer(bodyEncoding: bodyEncoding)
        return Set((renderer.members(of: stub) + renderer.members(of: stub.request)).map(\.key))
    }
}

/// A writer of one stub as an element of a stub file.
///
/// A value that is absent is left out; an empty body is `""`. Header fields are sorted by name, and fields of one name
/// keep their order. A status code is kept within 0 to 999, and times and lengths at 0 or more, so that the file can be
/// read.
private struct StubFileRenderer {
    let bodyEncoding: BodyEncoding
    /// The bodies that are not in the text, in which a NUL stands for each.
    let long = LongBodies()

    final class LongBodies { var bodies: [Data] = [] }

    private typealias Key = StubFileKey
    typealias Members = [(key: String, write: (inout JSONWriter) -> Void)]

    func text(of stub: Stub) -> Data {
        var writer = JSONWriter(.indented(level: 1))
        writer.object(members(of: stub))
        return writer.output
    }

    func members(of stub: Stub) -> Members {
        let response = stub.response
        var members: Members = []
        if let name = stub.valueName {
            members.append((Key.OfStub.value.rawValue, { $0.string(name) }))
            // The JSON of a value that a test made is readable with every encoding of bodies.
            if response.failure == nil, let json = response.body {
                members.append((Key.OfStub.json.rawValue, { $0.json(json) }))
            }
        } else {
            members.append((Key.OfStub.request.rawValue, { $0.object(self.members(of: stub.request)) }))
            if let frames = response.webSocketFrames {
                members.append((Key.OfStub.frames.rawValue, { $0.array(frames) { $1.literal($0.line) } }))
            } else if let body = response.body {
                let fields = response.head?.headerFields ?? [:]
                members.append(member(body, of: fields, isRequest: false, isInParts: response.pace.hasOnlyParts))
            }
            if let head = response.head {
                members.append((Key.OfStub.response.rawValue, { $0.object(self.members(of: head, to: stub.request)) }))
            }
            if response.pace.secondsToFirstByte != 0 || !response.pace.chunks.isEmpty {
                members.append((Key.OfStub.timing.rawValue, { $0.object(self.members(of: response.pace)) }))
            }
        }
        if let failure = response.failure {
            members.append((Key.OfStub.error.rawValue, { $0.object(self.members(of: failure)) }))
        }
        if let date = stub.recordedAt.flatMap(UTCDate.text) {
            members.append((Key.OfStub.recordedAt.rawValue, { $0.string(date) }))
        }
        return members
    }

    func members(of request: StubRequest) -> Members {
        var members = self.members(of: request.headerFields)
        members.append((Key.OfRequest.method.rawValue, { $0.string(request.method) }))
        members.append((Key.OfRequest.url.rawValue, { $0.string(request.url.absoluteString) }))
        if let body = request.body {
            members.append(member(body, of: request.headerFields, isRequest: true))
        }
        if let placeholders = request.placeholders {
            let texts = { (writer: inout JSONWriter) in writer.array(placeholders, isInline: true) { $1.string($0) } }
            members.append((Key.OfRequest.placeholders.rawValue, texts))
        }
        return members
    }

    private func members(of head: ResponseHead, to request: StubRequest) -> Members {
        var members = self.members(of: head.headerFields)
        members.append((Key.OfResponse.statusCode.rawValue, { $0.literal(min(max(head.statusCode, 0), 999)) }))
        if let url = head.url, url.absoluteString != request.url.absoluteString {
            members.append((Key.OfResponse.url.rawValue, { $0.string(url.absoluteString) }))
        }
        return members
    }

    private func members(of fields: HeaderFields) -> Members {
        guard !fields.isEmpty else { return [] }
        let lines = fields.enumerated().map { (name: $0.element.name.lowercased(), number: $0.offset, $0.element) }
            .sorted { ($0.name, $0.number) < ($1.name, $1.number) }.map { "\($0.2.name)[:::]\($0.2.value)" }
        return [(Key.OfRequest.headerFields.rawValue, { Self.write(lines, to: &$0) })]
    }

    private func members(of failure: StubFailure) -> Members {
        var members: Members = [
            (Key.OfError.code.rawValue, { $0.literal(failure.code) }),
            (Key.OfError.domain.rawValue, { $0.string(failure.domain) }),
        ]
        if let description = failure.description {
            members.append((Key.OfError.description.rawValue, { $0.string(description) }))
        }
        return members
    }

    private func members(of pace: Pace) -> Members {
        let seconds = { (seconds: Double) in seconds.isFinite ? max(seconds, 0) : 0 }
        var members: Members = [(Key.OfTiming.firstByte.rawValue, { $0.literal(seconds(pace.secondsToFirstByte)) })]
        guard !pace.chunks.isEmpty else { return members }
        let chunks = pace.chunks.map { ["\(seconds($0.seconds))", "\(max($0.length, 0))"] }
        members.append(
            (Key.OfTiming.chunks.rawValue, { $0.array(chunks) { $1.array($0, isInline: true) { $1.literal($0) } } })
        )
        return members
    }

    // MARK: Bodies

    func member(_ body: Data, of fields: HeaderFields, isRequest: Bool, isInParts: Bool = false) -> Members.Element {
        let shape =
            bodyEncoding == .readable && !body.isEmpty
            ? readable(body, of: fields.contentType, isRequest: isRequest, isInParts: isInParts)
            : base64(body)
        return (isRequest ? "request\(shape.key)" : shape.key.lowercased(), shape.write)
    }

    private func base64(_ body: Data) -> Members.Element {
        let write = { (writer: inout JSONWriter) in
            if body.count < StubFileEntry.longByteCount { return writer.base64(body) }
            long.bodies.append(body)
            writer.literal("\"\0\"")
        }
        return ("Data", write)
    }

    /// Returns the suffix of the key for a readable body, and the function that writes it.
    private func readable(_ body: Data, of type: ContentType?, isRequest: Bool, isInParts: Bool) -> Members.Element {
        var (key, separator) = ("Text", UInt8.lineFeed)
        switch BodyFormat(body, type: type).readableForm {
        case .json:
            // The body is inside the array of the file and its stub; a request's body is also inside its request.
            guard Self.isJSON(body, isInParts: isInParts, depth: isRequest ? 3 : 2) else { break }
            return isRequest && GraphQLBody.matches(body)
                ? ("GraphQL", { GraphQLBody.write(body, to: &$0) }) : ("JSON", { $0.json(body) })
        case .form: (key, separator) = ("Form", .ampersand)
        case .text: break
        }
        guard let parts = body.withBytes({ $0.textParts(separatedBy: separator) }) else { return base64(body) }
        return (key, { Self.write(parts, to: &$0) })
    }

    /// Returns a Boolean value that indicates whether a body in the format JSON can be written as JSON.
    ///
    /// The body `null` cannot, because `null` in a stub file stands for no body. The same is true of a body with a
    /// byte-order mark, which a stub file cannot keep, and of a body that is played in parts and contains white space.
    private static func isJSON(_ body: Data, isInParts: Bool, depth: Int) -> Bool {
        guard let compact = JSONText.compact(body: body, depth: depth), compact != Data("null".utf8),
            !body.starts(with: "\u{FEFF}".utf8)
        else { return false }
        return compact == body || !isInParts
    }

    /// Writes strings: a single one next to its brackets, several on separate lines.
    private static func write(_ lines: [String], to writer: inout JSONWriter) {
        writer.array(lines, isInline: lines.count == 1) { $1.string($0) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the lines or the fields of UTF-8 text without NUL; `nil` for any other body.
    ///
    /// Joined by the separator, they give the same bytes.
    ///
    /// If base64 is shorter than the escapes of the control characters, the body is not text either.
    fileprivate func textParts(separatedBy separator: UInt8) -> [String]? {
        guard !contains(0), firstInvalidUTF8 == nil else { return nil }
        let escapedCount = lazy.filter { $0 < .space && $0 != .tab && $0 != .lineFeed && $0 != .carriageReturn }.count
        guard escapedCount * 15 <= count else { return nil }
        return parts(of: 0..<count, separatedBy: separator).map { part($0).text } + (last == separator ? [""] : [])
    }
}
