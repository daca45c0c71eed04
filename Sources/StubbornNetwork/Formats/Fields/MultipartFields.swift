/// The parts of a multipart body, and the names that say what they are.
struct MultipartFields {
    let bytes: Bytes
    private let parts: [Multipart.Part]

    /// Reads the parts of a body; `nil` where it does not begin with a boundary.
    init?(_ bytes: Bytes) {
        let lineEnd = bytes.end(from: 0) { $0 != .carriageReturn && $0 != .lineFeed }
        guard bytes.has("--", at: 0), lineEnd < 100, lineEnd < bytes.count,
            let parts = Multipart.parts(of: bytes, delimiter: bytes.part(0..<lineEnd))
        else { return nil }
        self.bytes = bytes
        self.parts = parts
    }

    /// Visits the contents of the parts.
    func read(visit: (TextField) -> Void) {
        for part in parts where !part.content.isEmpty {
            visit(TextField(value: part.content, names: name(in: part.head).map { [$0] } ?? []))
        }
    }

    /// Returns the offsets of the name that a part's `Content-Disposition` gives (RFC 7578, section 4.2).
    private func name(in head: Range<Int>) -> Range<Int>? {
        let bytes = bytes.part(0..<head.upperBound)
        var next = head.lowerBound
        while let position = bytes.position(of: "name=", from: next) {
            next = position + 5
            guard !bytes.at(position - 1).isLetter else { continue }
            let start = bytes.at(next) == .quote ? next + 1 : next
            return
                start..<bytes.end(from: start) {
                    $0 != .quote && $0 != .semicolon && $0 != .carriageReturn && $0 != .lineFeed
                }
        }
        return nil
    }
}
