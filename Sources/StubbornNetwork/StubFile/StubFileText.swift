import Foundation

/// A stub file's text as UTF-8, and where it is from.
struct StubFileText: Sendable {
    let data: Data
    let file: URL

    /// The file, where parts of it are to stay there until they are asked for; `nil` for text that is all in memory.
    let reader: FileReader?

    /// What the file looked like when it was read; `nil` for text that is of no file.
    let fingerprint: FileFingerprint?

    /// - Parameters:
    ///   - data: in any encoding that JSON may have.
    ///   - reader: of the file that the data was read from, when it is large.
    init(
        _ data: Data,
        file: URL,
        reader: FileReader? = nil,
        fingerprint: FileFingerprint? = nil
    ) throws(StubbornNetworkError) {
        do throws(StubFileSyntaxError) {
            self.data = try StubFileEncoding.utf8(data)
        } catch {
            throw error.error(in: UnsafeRawBufferPointer(start: nil, count: 0), file: file)
        }
        self.file = file
        // In another encoding the places in the file are not those in the text.
        self.reader = self.data.count == data.count ? reader : nil
        self.fingerprint = fingerprint
    }

    /// The source of an element: a part of the file that stays there, or a copy.
    func source(_ range: Range<Int>) -> StubFileSource {
        if let reader { return StubFileSource(reader, range) }
        return StubFileSource(Data(data[data.startIndex + range.lowerBound..<data.startIndex + range.upperBound]))
    }

    /// Base64 that stays in the file until it is asked for; `nil` where it is small, or the text is in memory.
    ///
    /// - Parameters:
    ///   - range: the bytes between the quotation marks.
    ///   - key: what it stands under, for an error's text.
    func deferredBase64(in range: Range<Int>, under key: String) -> DeferredBody? {
        guard let reader, range.count > Self.largeBodyByteCount else { return nil }
        let later = LaterBase64(reader: reader, range: range, key: key, file: file, fileByteCount: data.count)
        return DeferredBody { try later.decode() }
    }

    /// From here on a body is left in a large file until it is played.
    private static let largeBodyByteCount = 64 * 1024
}

/// Base64 that is still in its file.
private struct LaterBase64: Sendable {
    let reader: FileReader
    let range: Range<Int>
    let key: String
    let file: URL
    let fileByteCount: Int

    func decode() throws(StubbornNetworkError) -> Data {
        do throws(SystemError) {
            let body = try Base64.decode(range.count) { part throws(SystemError) in
                try reader.read(range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound)
            }
            if let body { return body }
        } catch {
            throw .stubFile(file, cannotBe: .read, error)
        }
        throw fault()
    }

    private func fault() -> StubbornNetworkError {
        let error = StubFileSyntaxError.wrongType("base64 text", under: key, at: range.lowerBound - 1)
        let text = (try? reader.read(0..<fileByteCount)) ?? Data()
        return text.withUnsafeBytes { error.error(in: $0, file: file) }
    }
}

/// Base64 in windows, so that it is never in memory as a whole.
enum Base64 {
    /// The decoded bytes; `nil` for what is no base64, as strict as Foundation is at once.
    ///
    /// - Parameters:
    ///   - count: how many bytes there are.
    ///   - read: gives some of them.
    static func decode<Failure: Error>(
        _ count: Int,
        in read: (Range<Int>) throws(Failure) -> Data
    ) throws(Failure) -> Data? {
        // A multiple of four, so that each window decodes by itself.
        let length = 1 << 22
        var output = Data()
        output.reserveCapacity(count / 4 * 3)
        var start = 0
        while start < count {
            let end = min(start + length, count)
            let window = try read(start..<end)
            let isPadded = window.withUnsafeBytes { bytes in
                bytes.baseAddress.map { memchr($0, CInt(UInt8(ascii: "=")), bytes.count) != nil } ?? false
            }
            guard !isPadded || end == count, let part = Data(base64Encoded: window) else { return nil }
            output.append(part)
            start = end
        }
        return output
    }
}
