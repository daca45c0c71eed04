import Foundation

/// A stub file's text as UTF-8: what of it is at hand, and where the rest is.
struct StubFileText: Sendable {
    let file: URL

    /// What is parsed: all of the text, or, of a large file, all but what is long in it.
    let skeleton: StubFileSkeleton

    let origin: StubFileOrigin

    /// What the file looked like when it was read; `nil` for text that is of no file.
    let fingerprint: FileFingerprint?

    /// - Parameter data: in any encoding that JSON may have.
    init(_ data: Data, file: URL, fingerprint: FileFingerprint? = nil) throws(StubbornNetworkError) {
        let text: Data
        do throws(StubFileSyntaxError) {
            text = try StubFileEncoding.utf8(data)
        } catch {
            throw error.error(in: .memory(Data()), file: file)
        }
        self.file = file
        self.fingerprint = fingerprint
        skeleton = StubFileSkeleton(whole: text)
        origin = .memory(text)
    }

    /// The text of a large file, most of which stays there until it is asked for; `nil` for a small one, and for one in
    /// another encoding than UTF-8, which are better read as a whole.
    ///
    /// - Parameters:
    ///   - smallest: how large a large file is.
    ///   - minimum: from how many bytes on something stays in the file.
    init?(
        streaming reader: FileReader,
        file: URL,
        smallest: Int = 64 << 10,
        minimum: Int = 1 << 10,
        windowByteCount: Int = 128 << 10
    ) throws(SystemError) {
        let count = Int(clamping: reader.fingerprint.size)
        guard count >= max(smallest, 4), let start = StubFileEncoding.startOfUTF8(try reader.read(0..<4)) else {
            return nil
        }
        let window = UnsafeMutableRawBufferPointer.allocate(byteCount: max(windowByteCount, 16), alignment: 16)
        defer { window.deallocate() }
        var skeleton = StubFileSkeleton(minimum: minimum)
        var position = start
        while position < count, !skeleton.isFaulty {
            let wanted = min(window.count, count - position)
            let read = try reader.fill(UnsafeMutableRawBufferPointer(rebasing: window[..<wanted]), from: position)
            guard read == wanted else { throw .cutShort }
            let part = UnsafeRawBufferPointer(rebasing: window[..<wanted])
            position += skeleton.take(part, at: position - start, isLast: position + wanted == count)
        }
        try reader.checkUnchanged()
        self.file = file
        self.skeleton = skeleton
        fingerprint = reader.fingerprint
        origin = .file(reader, start: start)
    }

    /// The place in the text of a value in the skeleton.
    func range(_ range: Range<Int>) -> Range<Int> {
        guard !range.isEmpty else {
            return skeleton.offset(of: range.lowerBound)..<skeleton.offset(of: range.lowerBound)
        }
        return skeleton.offset(of: range.lowerBound)..<skeleton.offset(of: range.upperBound - 1) + 1
    }

    /// Reads a value that is not whole in the skeleton.
    private func read<Result>(
        _ value: JSONScanner.Value,
        _ body: (Bytes) throws(JSONSyntaxError) -> Result
    ) throws(StubFileSyntaxError) -> Result {
        let range = range(value.range)
        let bytes: Data
        do throws(SystemError) {
            bytes = try origin.bytes(range)
        } catch {
            throw .unreadable(error)
        }
        let result = bytes.withBytes { bytes in
            Swift.Result { () throws(JSONSyntaxError) in try body(bytes) }
        }
        do throws(JSONSyntaxError) {
            return try result.get()
        } catch {
            throw StubFileSyntaxError(error).inText(from: range.lowerBound)
        }
    }

    /// The text of a string; `nil` for what is none.
    ///
    /// - Parameter bytes: the skeleton's.
    func string(
        _ value: JSONScanner.Value,
        in bytes: Bytes
    ) throws(StubFileSyntaxError) -> String? {
        guard case .string(let hasEscapes) = value.kind else { return nil }
        guard let cut = skeleton.cut(of: value) else {
            return try StubFileSyntaxError.wrapping(
                try JSONString.text(of: value.range, hasEscapes: hasEscapes, in: bytes)
            )
        }
        return try read(value) { bytes throws(JSONSyntaxError) in
            try JSONString.text(of: 0..<bytes.count, hasEscapes: cut.hasEscapes, in: bytes)
        }
    }

    /// A value as JSON without white space.
    ///
    /// - Parameter bytes: the skeleton's.
    func compactJSON(
        _ value: JSONScanner.Value,
        in bytes: Bytes
    ) throws(StubFileSyntaxError) -> Data {
        guard range(value.range).count > value.range.count else {
            var scanner = JSONScanner(bytes, at: value.range.lowerBound)
            return try StubFileSyntaxError.wrapping(try JSONText.compact(&scanner))
        }
        return try read(value) { bytes throws(JSONSyntaxError) in
            var scanner = JSONScanner(bytes)
            return try JSONText.compact(&scanner)
        }
    }

    /// Base64 that stays in the file until it is asked for; `nil` where it is at hand.
    ///
    /// - Parameter key: what it stands under, for an error's text.
    func deferredBase64(_ value: JSONScanner.Value, under key: String) -> DeferredBody? {
        guard let cut = skeleton.cut(of: value) else { return nil }
        let later = LaterBase64(origin: origin, cut: cut, key: key, file: file)
        return DeferredBody(maximumByteCount: cut.range.count) { try later.decode() }
    }
}

/// Base64 that is still in its file.
private struct LaterBase64: Sendable {
    let origin: StubFileOrigin
    let cut: StubFileSkeleton.Cut
    let key: String
    let file: URL

    func decode() throws(StubbornNetworkError) -> Data {
        do throws(SystemError) {
            if let body = try cut.hasEscapes ? unescaped() : plain() { return body }
        } catch {
            throw .stubFile(file, cannotBe: .read, error)
        }
        throw StubFileSyntaxError.wrongType("base64 text", under: key, at: 0)
            .inText(from: cut.range.lowerBound - 1)
            .error(in: origin, file: file)
    }

    private func plain() throws(SystemError) -> Data? {
        try Base64.decoded(cut.range.count) { part throws(SystemError) in
            try origin.bytes(cut.range.lowerBound + part.lowerBound..<cut.range.lowerBound + part.upperBound)
        }
    }

    private func unescaped() throws(SystemError) -> Data? {
        let bytes = try origin.bytes(cut.range.lowerBound - 1..<cut.range.upperBound + 1)
        return bytes.withBytes { bytes in
            let text = try? JSONString.text(of: 0..<bytes.count, hasEscapes: true, in: bytes)
            return text.flatMap { Data(base64Encoded: $0) }
        }
    }
}
