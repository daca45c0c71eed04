import Foundation
import StubbornNetwork

/// A stub file, whose stubs can be read and changed.
///
/// A stub that is not changed keeps its JSON, byte for byte, with its unknown keys.
public struct StubFile: Sendable {
    /// The file, which may not exist.
    public let url: URL

    var document: StubFileDocument

    /// Reads a stub file.
    ///
    /// - Throws: `StubbornNetworkError` for a file that does not exist, cannot be read, or is not an array of stubs.
    public init(contentsOf url: URL) throws {
        guard let document = try StubFileStore(file: url).read() else {
            throw StubbornNetworkError.stubFile(url, cannotBe: .read, SystemError(ENOENT))
        }
        self.url = url
        self.document = document
    }

    /// Reads the contents of a stub file, for example from an earlier commit.
    ///
    /// - Throws: `StubbornNetworkError` if the contents are not an array of stubs.
    @_spi(Tools) public init(_ text: Data, at url: URL) throws {
        self.url = url
        document = try StubFileDocument(parsing: StubFileText(text, file: url))
    }

    /// Creates a stub file that is not written yet.
    public init(_ stubs: [Stub] = [], at url: URL, bodyEncoding: BodyEncoding = .base64) {
        self.url = url
        document = StubFileDocument(entries: stubs.map { StubFileEntry(rendering: $0, bodyEncoding: bodyEncoding) })
    }

    /// The stubs, in their order.
    public var stubs: [Stub] { document.entries.map(\.stub) }

    /// Returns the stub at an index, without a list of all stubs.
    @_spi(Tools) public func stub(at index: Int) -> Stub { document.entries[index].stub }

    /// Returns the line of the file in which a stub begins; `nil` for a stub that was not read.
    public func line(ofStubAt index: Int) -> Int? { document.entries[index].line }

    /// Returns the JSON of a stub, as it is in the file or as it will be written.
    @_spi(Tools) public func text(ofStubAt index: Int) -> Data { document.entries[index].json }

    /// Returns the whole file as it will be written.
    public func text() -> Data { document.data }

    /// Replaces a stub with a stub of a different file, and keeps that stub's JSON.
    @_spi(Tools) public mutating func replaceStub(at index: Int, withStubAt other: Int, of file: StubFile) {
        document.entries[index] = file.document.entries[other]
    }

    /// Inserts a stub of a different file, and keeps that stub's JSON.
    @_spi(Tools) public mutating func insertStub(at index: Int, stubAt other: Int, of file: StubFile) {
        document.entries.insert(file.document.entries[other], at: index)
    }

    /// Removes the stubs at some indices.
    public mutating func removeStubs(at indices: Set<Int>) {
        document.entries = document.entries.enumerated().filter { !indices.contains($0.offset) }.map(\.element)
    }

    /// Writes all bodies in an encoding; a stub with unknown keys is unchanged.
    @_spi(Tools) public mutating func convert(to encoding: BodyEncoding) {
        document.entries = document.entries.map { $0.encodingBodies(as: encoding) }
    }

    /// Replaces the file as a whole, or creates it.
    ///
    /// Other processes that are recording into it are blocked in the meantime.
    ///
    /// - Throws: `StubbornNetworkError` if the file cannot be written, or was changed since it was read.
    public func write() throws {
        guard try writeIfUnchanged() else {
            throw StubbornNetworkError.stubFile(url, cannotBe: .written, .changed)
        }
    }

    /// Replaces the file as a whole, or creates it, unless another process has changed or created it since it was read.
    ///
    /// - Returns: A Boolean value that indicates whether the file was written.
    /// - Throws: `StubbornNetworkError` if the file cannot be written.
    @_spi(Tools) public func writeIfUnchanged() throws -> Bool {
        let store = StubFileStore(file: url)
        return try store.withDirectoryLock { _ throws(StubbornNetworkError) in
            guard store.fingerprint == document.fingerprint else { return false }
            try store.write(document.data)
            return true
        }
    }
}
