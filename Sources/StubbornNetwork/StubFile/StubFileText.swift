import Foundation

/// A stub file's text as UTF-8, and where it is from.
struct StubFileText: Sendable {
    /// From here on, a body is left in the file until it is played, and its pages are given back when they are passed over.
    static let largeBodyByteCount = 64 * 1024

    let data: Data
    let file: URL
    /// Where the data lies, when it was mapped rather than read.
    let mapping: MappedFile?
    /// What the file looked like when it was read; `nil` for text that is of no file.
    let fingerprint: FileFingerprint?

    /// - Parameter data: in any encoding that JSON may have.
    init(
        _ data: Data,
        file: URL,
        mapping: MappedFile? = nil,
        fingerprint: FileFingerprint? = nil
    ) throws(StubbornNetworkError) {
        do throws(StubFileSyntaxError) {
            self.data = try StubFileEncoding.utf8(data)
        } catch {
            throw error.error(in: UnsafeRawBufferPointer(start: nil, count: 0), file: file)
        }
        self.file = file
        self.mapping = mapping
        self.fingerprint = fingerprint
    }

    /// Some of the bytes, as a part of the whole: no copy.
    func slice(_ range: Range<Int>) -> Data {
        data[data.startIndex + range.lowerBound..<data.startIndex + range.upperBound]
    }

    func error(_ error: StubFileSyntaxError) -> StubbornNetworkError {
        data.withUnsafeBytes { error.error(in: $0, file: file) }
    }

    /// Decodes base64 in windows, so that it is never in memory as a whole.
    ///
    /// - Parameter range: the bytes between the quotation marks.
    func base64(in range: Range<Int>) -> Data? {
        let slice = slice(range)
        guard range.count > Self.largeBodyByteCount else { return Data(base64Encoded: Data(slice)) }
        var output = Data()
        output.reserveCapacity(range.count / 4 * 3)
        return slice.withUnsafeBytes { bytes -> Data? in
            // A multiple of four, so that each window decodes by itself.
            let length = 1 << 22
            for start in stride(from: 0, to: bytes.count, by: length) {
                let end = min(start + length, bytes.count)
                let window = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                guard let base = window.baseAddress else { return nil }
                let isPadded = memchr(base, CInt(UInt8(ascii: "=")), window.count) != nil
                guard !isPadded || end == bytes.count, let part = Data(base64Encoded: Data(window)) else { return nil }
                output.append(part)
                mapping?.forget(window)
            }
            return output
        }
    }
}
