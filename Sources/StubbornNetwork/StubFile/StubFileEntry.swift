import Foundation

/// A stub of a stub file, with its JSON as it is in the file or as it will be written.
///
/// An object, because a file may have thousands of them, and each copy of a stub changes a dozen reference counts.
package final class StubFileEntry: Sendable {
    package let stub: Stub

    /// The JSON, without indentation on its first line, and with a NUL in the place of each of `longBodies`.
    private let text: Data

    /// The bodies in base64 that are encoded only while the JSON is written or read: they may have a hundred megabytes.
    private let longBodies: [Data]

    /// The length at which a body begins to count as long.
    static let longByteCount = 1 << 18

    /// The line of the object's `{`; `nil` for an entry that was not read.
    package let line: Int?

    /// The keys under which a stub that was read has its bodies; `nil` if it also has unknown keys, which would be lost if it were
    /// written again.
    private let bodyKeys: [String]?

    // It is used only while `identities` is locked, so the entry is sendable.
    nonisolated(unsafe) private var knownIdentity: UInt64?
    /// One lock for all entries, because a file may have thousands of them.
    private static let identities = Lock(0)

    package init(_ stub: Stub, _ json: Data, longBodies: [Data] = [], line: Int? = nil, bodyKeys: [String]? = []) {
        (self.stub, text, self.longBodies, self.line, self.bodyKeys) = (stub, json, longBodies, line, bodyKeys)
    }

    /// The JSON, without indentation on its first line.
    package var json: Data {
        if longBodies.isEmpty { return text }
        var json = Data()
        forEachPart { json.append($0) }
        return json
    }

    /// Calls `body` with the parts of the JSON, one after the other.
    func forEachPart(_ body: (Bytes) -> Void) {
        text.withBytes { text in
            if longBodies.isEmpty { return body(text) }
            for (index, part) in text.parts(of: 0..<text.count, separatedBy: 0).enumerated() {
                if index > 0 { Self.encode(longBodies[index - 1], body) }
                body(text.part(part))
            }
        }
    }

    private static func encode(_ data: Data, _ body: (Bytes) -> Void) {
        // A multiple of three bytes has no padding.
        let byteCount = 3 << 16
        for start in stride(from: 0, to: data.count, by: byteCount) {
            data.part(start..<min(start + byteCount, data.count)).base64EncodedData().withBytes(body)
        }
    }

    /// Returns the entry with its bodies in an encoding.
    ///
    /// - Returns: The same entry, unless it was read with a different encoding.
    package func encodingBodies(as encoding: BodyEncoding) -> StubFileEntry {
        let others = StubFileKey.bodies(in: encoding == .readable ? .base64 : .readable)
        let unlike = bodyKeys?.filter(others.contains) ?? []
        // A body that is not text is base64 in every encoding.
        guard !unlike.isEmpty, !Self.bodyKeys(of: stub, in: encoding).isSuperset(of: unlike) else { return self }
        return StubFileEntry(rendering: stub, bodyEncoding: encoding)
    }

    /// The encoding of the bodies of a stub that was read; `nil` if it has unknown keys, which would be lost if it were
    /// written again.
    package var bodyEncoding: BodyEncoding? {
        bodyKeys.map { $0.contains(where: StubFileKey.bodies(in: .readable).contains) ? .readable : .base64 }
    }

    /// A hash of the stub that is the same in every process.
    ///
    /// It ignores white space and the spelling of slashes, which an editor may change.
    package var identity: UInt64 {
        if let known = Self.identities.withLock({ _ in knownIdentity }) { return known }
        let identity = computedIdentity
        Self.identities.withLock { _ in knownIdentity = identity }
        return identity
    }

    /// A hash of the stub that ignores the order of keys.
    var valueIdentity: UInt64 { StubFileEntry(rendering: stub, bodyEncoding: .base64).identity }

    private var computedIdentity: UInt64 {
        var checksum = Checksum()
        var isInString = false
        // A part ends at a string's end, or between two digits of base64.
        forEachPart { json in
            var position = 0
            while position < json.count {
                if isInString {
                    let quote = json.position(of: .quote, from: position) ?? json.count
                    let end = json.position(of: .backslash, from: position, to: quote) ?? quote
                    checksum.add(json.part(position..<end))
                    position = end + 1
                    guard end < json.count else { continue }
                    isInString = end < quote
                    guard isInString else { continue }
                    if json.at(position) != .slash { checksum.add(.backslash) }
                    checksum.add(json.at(position))
                } else {
                    isInString = json[position] == .quote
                    if !json[position].isJSONSpace { checksum.add(json[position]) }
                }
                position += 1
            }
        }
        return checksum.value
    }
}

extension [StubFileEntry] {
    /// A number that distinguishes this list from other lists.
    var digest: String { Checksum(map(\.identity.hexadecimal).joined()).value.hexadecimal }
}

/// The keys of a stub file.
///
/// The parser reads them, the renderer writes them, and tools recognize unknown keys by them.
///
/// A key that is added here does not compile until the parser reads it.
package enum StubFileKey {
    package enum OfStub: String, CaseIterable {
        case request, response, error, timing, recordedAt, value, data, json, text, form, frames
    }

    package enum OfRequest: String, CaseIterable {
        case method, url, headerFields, placeholders
        case requestData, requestJSON, requestGraphQL, requestText, requestForm
    }

    /// The keys of a response; `responseData` is a key of the older shape.
    package enum OfResponse: String, CaseIterable { case statusCode, headerFields, url, responseData }

    package enum OfError: String, CaseIterable { case domain, code, description }

    package enum OfTiming: String, CaseIterable { case firstByte, chunks }

    /// The keys of bodies in an encoding.
    package static func bodies(in encoding: BodyEncoding) -> Set<String> { encoding == .readable ? readable : base64 }

    private static let readable: Set = [
        "json", "text", "form", "requestJSON", "requestGraphQL", "requestText", "requestForm",
    ]
    private static let base64: Set = ["data", "requestData", "responseData"]

    /// Returns a Boolean value that indicates whether a key is for people and other programs, and is kept.
    ///
    /// Any other unknown key is an error: a newer version may have written it, and its information would be lost.
    static func isNote(_ key: String) -> Bool { key == "comment" || key.utf8.starts(with: "x-".utf8) }
}
