/// A value of a stub, with information about its place.
struct NormalFormText {
    /// The parts of a text that are read as one, each kind in the order of the text.
    struct Parts {
        /// The JSON Web Tokens.
        let tokens: [Range<Int>]
        /// The edits that replace the placeholders, and the times near the recording, by their classes.
        let made: [Edit]
        /// The words between them; none in a decimal, which is data.
        let words: [Range<Int>]
    }

    let value: String
    /// The hash of the key path of a value in JSON; `nil` elsewhere.
    var path: Int?
    /// The name of the member, item or field.
    var name = ""
    /// A Boolean value that indicates whether it is a segment of a path.
    var isSegment = false
    /// A Boolean value that indicates whether settings, or the protocol of a call, name the value as one that differs each time.
    var isVolatile = false
    /// A Boolean value that indicates whether the value is compared, and not only searched for ids.
    var isCompared = true

    /// A Boolean value that indicates whether the value may be an id if others with its key path are ids: `7`, `a-7`;
    /// not `open`, `-1` and `1.5`.
    var isID: Bool {
        value.withBytes { bytes in
            guard bytes.contains(where: { $0.isDigit }), bytes.allSatisfy({ $0.isWordPart }) else { return false }
            return bytes.contains(where: { $0.isLetter }) || bytes.areDigits
        }
    }

    /// Returns the parts of the value's bytes; `isNear` says which seconds since 1970 are near the recording.
    ///
    /// An image is data, and has none.
    func parts(of bytes: Bytes, isNear: (Double) -> Bool) -> Parts {
        if RandomText.isMedia(bytes) { return Parts(tokens: [], made: [], words: []) }
        let tokens = Self.webTokens(in: bytes)
        let made = made(in: bytes, isNear: isNear).apart(from: tokens) { $0.range }
        // A number with a fraction or a sign: `-8.08e-06`.
        let isDecimal = bytes.contains(where: { $0.isOne(of: ".-+") }) && Double(bytes.text) != nil
        let words = isDecimal ? [] : MadeText.words(in: bytes)
        let others = (tokens + made.map { $0.range }).inOrder
        return Parts(tokens: tokens, made: made, words: words.apart(from: others) { $0 })
    }

    /// Returns the parts that may be ids; in requests and in members that are named as volatile, they need no digit.
    func possibleIDs(needingDigit: Bool, isNear: (Double) -> Bool) -> [String] {
        value.withBytes { bytes in
            let needsDigit = needingDigit && !isVolatile
            // Most texts of responses have none.
            if needsDigit, !bytes.contains(where: { $0.isDigit }) { return [] }
            let parts = parts(of: bytes, isNear: isNear)
            let words = parts.words.filter { mayBeID($0, in: bytes, needingDigit: needsDigit) }
            return (parts.tokens + words).map { bytes.part($0).text }
        }
    }

    /// Returns a Boolean value that indicates whether a word may be an id: a number that has at least five digits or is
    /// in the place of an id, or any other word of at least four characters with a digit.
    func mayBeID(_ range: Range<Int>, in bytes: Bytes, needingDigit: Bool = true) -> Bool {
        let word = bytes.part(range)
        guard word.contains(where: { $0.isDigit }) else { return !needingDigit && word.count >= 4 }
        // A decimal and a version are not ids: `0.25`, `1.25.3`.
        if word.contains(.dot), word.allSatisfy({ $0.isDigit || $0 == .dot }) { return false }
        guard word.areDigits else { return word.count >= 4 }
        if word.count >= 5 || isSegment { return true }
        if range.count == bytes.count, isNamedLikeID { return true }
        // The path of a URL in a field or a body: `https://api.example.com/orders/7`.
        guard bytes.at(range.lowerBound - 1) == .slash else { return false }
        return bytes.at(0) == .slash || bytes.position(of: "://", from: 0) != nil
    }

    /// A Boolean value that indicates whether the name denotes an id: `id`, `userId`, `task_uid`, `number`; not `paid`.
    private var isNamedLikeID: Bool {
        let words = name.withBytes { FieldName($0).words(from: 0) }
        return words.last.map(Self.idNames.contains) == true
    }

    private static let idNames: Set<String> = [
        "id", "ids", "uid", "uids", "uuid", "guid", "iid", "number", "key", "ref", "cursor",
    ]

    /// Returns the ranges of JSON Web Tokens (RFC 7519), whose claims are part of them.
    static func webTokens(in bytes: Bytes) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var next = 0
        while let start = bytes.position(of: "eyJ", from: next) {
            let isStart = !bytes.at(start - 1).isWordPart
            let end = isStart ? SecretShapes.webTokenEnd(bytes, from: start) : nil
            if let end { result.append(start..<end) }
            next = end ?? start + 3
        }
        return result
    }

    /// Returns the edits that replace the placeholders and the times near the recording, in their order.
    private func made(in bytes: Bytes, isNear: (Double) -> Bool) -> [Edit] {
        let secrets = Placeholder.matches(in: bytes).map { $0.start..<$0.match.end }.inOrder
        let times = MadeText.times(in: bytes).filter { isNear($0.seconds) }.apart(from: secrets) { $0.range }
        let made = secrets.map { ($0, "#secret") } + times.map { ($0.range, $0.format) }
        return made.sorted { $0.0.lowerBound < $1.0.lowerBound }.map { Edit(range: $0, text: Array($1.utf8)) }
    }
}

extension [Range<Int>] {
    /// The ranges in the order of the text.
    var inOrder: Self { sorted { $0.lowerBound < $1.lowerBound } }
}
