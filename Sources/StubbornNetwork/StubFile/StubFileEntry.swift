import Foundation

/// A stub of a stub file, with its JSON as it is in the file or as it will be written.
///
/// An object, because a file may have thousands of them, and each copy of a stub counts a dozen references.
package final class StubFileEntry: Sendable {
    package let stub: Stub

    /// The JSON, without indentation on its first line.
    package let json: Data

    /// The line of the object's `{`; `nil` for an entry that was not read.
    package let line: Int?

    /// The keys under which a stub that was read has its bodies; `nil` if it has unknown keys too, which writing it again
    /// loses.
    private let bodyKeys: [String]?

    // Used only while `identities` is locked: so the entry is sendable.
    nonisolated(unsafe) private var knownIdentity: UInt64?
    /// One lock for all entries, because a file may have thousands of them.
    private static let identities = Lock(0)

    package init(_ stub: Stub, _ json: Data, line: Int? = nil, bodyKeys: [String]? = []) {
        (self.stub, self.json, self.line, self.bodyKeys) = (stub, json, line, bodyKeys)
    }

    /// Returns the entry with its bodies in an encoding.
    ///
    /// - Returns: The same entry, unless it was read with another encoding.
    package func encodingBodies(as encoding: BodyEncoding) -> StubFileEntry {
        let others = StubFileKey.bodies(in: encoding == .readable ? .base64 : .readable)
        let unlike = bodyKeys?.filter(others.contains) ?? []
        // A body that is not text is base64 in every encoding.
        guard !unlike.isEmpty, !Self.bodyKeys(of: stub, in: encoding).isSuperset(of: unlike) else { return self }
        return StubFileEntry(rendering: stub, bodyEncoding: encoding)
    }

    /// The encoding of the bodies of a stub that was read; `nil` if it has unknown keys, which writing it again loses.
    package var bodyEncoding: BodyEncoding? {
        bodyKeys.map { $0.contains(where: StubFileKey.bodies(in: .readable).contains) ? .readable : .base64 }
    }

    /// A hash of the stub that is the same in every process.
    ///
    /// It ignores white space and the spelling of slashes, which an editor may change.
    var identity: UInt64 {
        if let known = Self.identities.withLock({ _ in knownIdentity }) { return known }
        let identity = json.withBytes(Self.identity)
        Self.identities.withLock { _ in knownIdentity = identity }
        return identity
    }

    /// A hash of the stub that ignores the order of keys.
    var valueIdentity: UInt64 { StubFileEntry(rendering: stub, bodyEncoding: .base64).identity }

    private static func identity(of json: Bytes) -> UInt64 {
        var checksum = Checksum()
        var isInString = false
        var position = 0
        while position < json.count {
            if isInString {
                let quote = json.position(of: .quote, from: position) ?? json.count
                let end = json.position(of: .backslash, from: position, to: quote) ?? quote
                checksum.add(json.part(position..<end))
                isInString = end < quote
                position = end + 1
                guard isInString else { continue }
                if json.at(position) != .slash { checksum.add(.backslash) }
                checksum.add(json.at(position))
            } else {
                isInString = json[position] == .quote
                if !json[position].isJSONSpace { checksum.add(json[position]) }
            }
            position += 1
        }
        return checksum.value
    }
}

extension [StubFileEntry] {
    /// A number that distinguishes this list from other lists.
    var digest: String { Checksum(map(\.identity.hexadecimal).joined()).value.hexadecimal }
}
