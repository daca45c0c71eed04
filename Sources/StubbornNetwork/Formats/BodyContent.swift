import Foundation

/// The content of a body, as the reader of its format returns it.
///
/// Whatever compares bodies switches over it. A format whose content is one of these cases needs no other change there.
package enum BodyContent {
    /// A JSON value; JSON lines are an array.
    case json(JSONValue)
    /// The fields of a form, which `QueryItem.fields(ofForm:)` returns.
    case form
    /// Server-sent events, which `StreamFormat.events` separates.
    case events
    /// The parts of a multipart body.
    case parts([BodyPart])
    /// Text or binary data, and a body that is not valid in its format.
    case bytes

    package init(_ body: Data, of type: ContentType? = nil) {
        switch BodyFormat(body, type: type).kind {
        case .json, .jsonScalar: self = JSONValue(body).map(Self.json) ?? .bytes
        case .jsonLines:
            // Empty lines are left out.
            let lines = body.split { $0.isLineBreak }
            let elements = lines.compactMap { JSONValue($0) }
            self = elements.count == lines.count ? .json(.array(elements)) : .bytes
        // A placeholder replaces a compressed form, which is compared by its bytes.
        case .form: self = body.withBytes(Placeholder.isWhole) ? .bytes : .form
        case .events: self = .events
        case .multipart(let boundary): self = BodyPart.all(in: body, boundary).map(Self.parts) ?? .bytes
        case .markup, .text, .binary: self = .bytes
        }
    }
}

// What the library does with a body of each format, except comparing it (`BodyContent`) and searching it for secrets (`Rewriter`).
extension BodyFormat {
    /// The members of a stub file, and of a request snapshot, in which a person can read a body.
    package enum ReadableForm: Sendable { case json, form, text }

    /// The member for a readable body; a body that is not valid in that form, or not text, is base64.
    package var readableForm: ReadableForm {
        switch kind {
        case .json, .jsonScalar: .json
        case .form: .form
        case .jsonLines, .events, .multipart, .markup, .text, .binary: .text
        }
    }

    /// The way in which a value is written inside the body.
    var spelling: Spelling {
        switch kind {
        case .json, .jsonScalar, .jsonLines: .json
        case .markup: .xml
        case .form: .form
        case .events, .multipart, .text, .binary: .plain
        }
    }
}

extension StreamFormat {
    /// Creates a format from the value of a `Content-Type` field; `nil` for a body that is read whole.
    init?(_ field: String?, body: Data? = nil) {
        let type = field.flatMap { $0.isEmpty ? nil : ContentType($0) }
        switch BodyFormat(body ?? Data(), type: type).kind {
        case .events: self = .events
        case .jsonLines: self = .lines
        case .multipart(let boundary) where type?.isStreamOfParts == true && !boundary.isEmpty:
            self = .multipart(boundary: boundary)
        case .json, .jsonScalar, .form, .multipart, .markup, .text, .binary: return nil
        }
    }
}

extension JSONValue {
    /// Reads a body whose format is JSON, or the lines of one as an array; `nil` for anything else.
    package init?(body: Data, of type: ContentType? = nil) {
        guard case .json(let value) = BodyContent(body, of: type) else { return nil }
        self = value
    }
}

/// A part of a multipart body; `head` has its header fields.
package struct BodyPart: Hashable, Sendable {
    var head = Data()
    let content: Data

    /// Hashes all bytes: `Data` hashes only its beginning, and bodies often begin alike.
    package func hash(into hasher: inout Hasher) {
        for data in [head, content] {
            hasher.combine(data.count)
            data.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    /// Returns the parts of a multipart body; `nil` for a body without the boundary.
    static func all(in body: Data, _ boundary: String) -> [Self]? {
        body.withBytes { bytes in
            Multipart.parts(of: bytes, boundary: boundary)?.map { part in
                // Clients generate the boundaries of nested parts for each request, too.
                let boundaries = Multipart.innerBoundaries(of: part, in: bytes)
                let text = { Data(bytes.part($0).replacing(boundaries, with: Array("boundary".utf8))) }
                return Self(head: text(part.head), content: text(part.content))
            }
        }
    }

    /// The name of the part's field (RFC 7578, section 4.2); `nil` if it has none.
    var name: String? {
        head.withBytes { bytes in Multipart.name(in: bytes, 0..<bytes.count).map { bytes.part($0).text } }
    }

    /// The header fields and the content, as in the body.
    var text: Data { head.isEmpty ? content : head + Data("\r\n\r\n".utf8) + content }
}

extension Bytes {
    /// Returns the bytes with each of the texts replaced.
    fileprivate func replacing(_ texts: [[UInt8]], with other: [UInt8]) -> [UInt8] {
        let ranges = texts.flatMap { Placeholder.words($0, in: self) }
        return Edit.apply(ranges.map { Edit(range: $0, text: other) }, to: self) ?? Array(self)
    }
}
