// Texts of the formats that have fields, and the fields in them.
extension Rewriter {
    /// A text of some format, whose fields are rewritten.
    struct Fields {
        let text: Bytes
        let place: SecretPlaces
        let depth: Int

        /// A Boolean value that indicates whether fields whose names say nothing are read by themselves, as texts of
        /// other formats.
        var readsUnnamed = true

        var edits: [Edit] = []

        /// A Boolean value that indicates whether names in the text say that `code` is a code of OAuth.
        lazy var isLogin = SecretList.loginNames.contains { text.position(of: $0, from: 0) != nil }
    }

    /// Rewrites text in one of the formats that rules look into, and then as text.
    mutating func content(_ bytes: Bytes, depth: Int, type: String = "") -> [UInt8]? {
        guard depth < Self.maximumDepth else { return nil }
        var start = bytes.end(from: 0, while: \.isSpace)
        if bytes.has("\u{FEFF}", at: start) { start = bytes.end(from: start + 3, while: \.isSpace) }
        var first: [UInt8]?
        var isDecoded = false
        let claimsForm = type.contains("form-urlencoded")
        switch bytes.at(start) {
        case .openingBrace, .openingBracket:
            let (edits, isComplete) = json(bytes, from: start, depth: depth)
            isDecoded = isComplete
            first = Edit.apply(edits, to: bytes)
            if !isComplete { first = then(first, bytes) { $0.settings($1, .any) } }
        case .lessThan:
            first = xml(bytes)
            first = then(first, bytes) { $0.settings($1, .likely) }
        case _ where claimsForm || Self.isForm(bytes):
            isDecoded = Self.isForm(bytes, claimed: claimsForm)
            first = Edit.apply(pairs(bytes, 0..<bytes.count, in: .form, depth: depth), to: bytes)
            if !isDecoded { first = then(first, bytes) { $0.settings($1, .any) } }
        case _ where Self.isPercentEncoded(bytes):
            isDecoded = true
            let decoded = PercentEncoding.decoded(bytes)
            let changed = decoded.withUnsafeBufferPointer { content($0, depth: depth + 1) }
            first = changed.map { PercentEncoding.encoded($0) }
        default:
            first = Edit.apply(embeddedJSON(bytes, from: start, depth: depth), to: bytes)
            let isExact = type.contains("json") || type.contains("xml") || Self.isQueryLanguage(bytes, from: start)
            first = then(first, bytes) { $0.settings($1, isExact ? .any : .likely) }
        }
        return then(first, bytes) { $0.free($1, depth: depth, searchesEscapes: !isDecoded) }
    }

    /// Returns a Boolean value that indicates whether text is `name=value&…`.
    ///
    /// Text that claims to be a form may hold anything but line ends and spaces. Text that claims nothing has to begin
    /// with a name.
    private static func isForm(_ bytes: Bytes, claimed: Bool = false) -> Bool {
        let nameEnd = bytes.end(from: 0) { $0.isUnreserved || "%[]+".utf8.contains($0) }
        guard nameEnd > 0, nameEnd < 128, bytes.at(nameEnd) == .equals,
            bytes.end(from: nameEnd, while: { $0 > .space && !"<>\"{}".utf8.contains($0) }) == bytes.count
        else { return false }
        return claimed || (bytes.count < 65_536 && (bytes.contains(.ampersand) || !bytes.contains(.semicolon)))
    }

    /// Returns a Boolean value that indicates whether the text is a whole URL or object in percent-encoding.
    private static func isPercentEncoded(_ bytes: Bytes) -> Bool {
        let beginnings: [StaticString] = ["http%3a", "https%3a", "%7b", "%5b"]
        return beginnings.contains { bytes.hasIgnoringCase($0, at: 0) }
            && bytes.allSatisfy { $0.isUnreserved || $0 == .percent || $0 == .plus }
    }

    /// Returns a Boolean value that indicates whether the text is GraphQL.
    private static func isQueryLanguage(_ bytes: Bytes, from start: Int) -> Bool {
        let keywords: [StaticString] = ["mutation", "query", "subscription", "fragment"]
        return keywords.contains { word in
            bytes.has(word, at: start) && !bytes.at(start + word.utf8CodeUnitCount).isAlphanumeric
                && bytes.contains(.openingBrace)
        }
    }

    // MARK: Formats

    private mutating func json(_ bytes: Bytes, from start: Int, depth: Int) -> (edits: [Edit], isComplete: Bool) {
        var fields = Fields(text: bytes, place: .json, depth: depth)
        let isComplete = JSONFields.read(bytes, from: start) { rewrite($0, in: &fields) }
        return (fields.edits, isComplete)
    }

    /// Rewrites JSON inside something else: server-sent events (`data: {…}`), a call (`callback({…})`), or behind what
    /// keeps it from being one (`)]}',`).
    private mutating func embeddedJSON(_ bytes: Bytes, from start: Int, depth: Int) -> [Edit] {
        let events: [StaticString] = ["data:", "event:", "id:", ":"]
        if events.contains(where: { bytes.has($0, at: start) }) {
            return bytes.parts(of: start..<bytes.count, separatedBy: .lineFeed).flatMap { line -> [Edit] in
                let value = bytes.end(from: line.lowerBound + 5) { $0 == .space }
                guard bytes.has("data:", at: line.lowerBound), "{[".utf8.contains(bytes.at(value)) else { return [] }
                return json(bytes.part(0..<line.upperBound), from: value, depth: depth).edits
            }
        }
        let guards: [StaticString] = [")]}'", "for(;;);", "while(1);", "for (;;);", "while (1);"]
        var body = bytes.end(from: start) { $0.isUnreserved || $0 == UInt8(ascii: "$") }
        if guards.contains(where: { bytes.has($0, at: start) }) {
            body = Swift.max(body, start + 4)
        } else if bytes.at(body) != UInt8(ascii: "(") {
            return []
        }
        let head = bytes.part(0..<start + 128)
        let opening = head.end(from: body) { $0 != .openingBrace && $0 != .openingBracket }
        return opening < head.count ? json(bytes, from: opening, depth: depth).edits : []
    }

    /// Rewrites the pairs of a query or a form.
    mutating func pairs(
        _ bytes: Bytes,
        _ range: Range<Int>,
        in place: SecretPlaces,
        isLogin: Bool = false,
        depth: Int
    ) -> [Edit] {
        var fields = Fields(text: bytes.part(range), place: place, depth: depth)
        if isLogin { fields.isLogin = true }
        let spelling = place == .form ? Spelling.form : .query
        FormFields.read(fields.text, as: spelling) { rewrite($0, in: &fields) }
        return fields.edits.map { $0.moved(by: range.lowerBound) }
    }

    private mutating func xml(_ bytes: Bytes) -> [UInt8]? {
        var fields = Fields(text: bytes, place: .xml, depth: 0, readsUnnamed: false)
        XMLFields.read(bytes) { rewrite($0, in: &fields) }
        return Edit.apply(fields.edits, to: bytes)
    }

    /// Rewrites the settings in a text that has no format, or not the one that it claims.
    mutating func settings(_ bytes: Bytes, _ strictness: SettingFields.Strictness) -> [UInt8]? {
        var fields = Fields(text: bytes, place: .json, depth: 0, readsUnnamed: false)
        let names = names
        SettingFields(bytes: bytes, strictness: strictness) { name in
            names.field(name, in: .json).map { $0.form == .credentials || $0.form == .cookies ? .line : .word }
        }.read { rewrite($0, in: &fields) }
        return Edit.apply(fields.edits, to: bytes)
    }

    mutating func multipart(_ body: MultipartFields) -> [UInt8]? {
        var fields = Fields(text: body.bytes, place: .form, depth: 0)
        body.read { rewrite($0, in: &fields) }
        return then(Edit.apply(fields.edits, to: body.bytes), body.bytes) { $0.free($1, depth: 0) }
    }

    // MARK: Fields

    /// Adds the edit that a field needs.
    ///
    /// - Returns: `false` where it needs none.
    @discardableResult
    private mutating func rewrite(_ field: TextField, in fields: inout Fields) -> Bool {
        let raw = fields.text.part(field.value)
        let secret = secret(of: field, in: &fields)
        if field.isNumber {
            // Numbers of one or two digits are counts and flags, not secrets.
            guard let secret, secret.takesNumbers, raw.count >= 3 else { return false }
            let number = vault.number(for: raw)
            guard !number.elementsEqual(raw) else { return false }
            fields.edits.append(Edit(range: field.value, text: number))
            return true
        }
        guard secret != nil || (fields.readsUnnamed && hasFormat(raw, in: field.spelling)) else { return false }
        let value = field.spelling.decoded(raw)
        let depth = fields.depth + 1
        let changed = value.withUnsafeBufferPointer { value -> [UInt8]? in
            if let secret, secret.accepts(value) { return replacement(for: value, of: secret, depth: depth) }
            return fields.readsUnnamed ? content(value, depth: depth) : nil
        }
        guard let changed, changed != value else { return false }
        fields.edits.append(Edit(range: field.value, text: field.spelling.encoded(changed, inPlaceOf: raw)))
        return true
    }

    /// Returns what the nearest name says that carries a secret.
    private func secret(of field: TextField, in fields: inout Fields) -> SecretField? {
        for range in field.names {
            let raw = fields.text.part(range)
            let isLogin = raw.count == 4 && raw.hasIgnoringCase("code", at: 0) && fields.isLogin
            let secret: SecretField? =
                switch field.spelling {
                case .query where fields.place == .query, .form:
                    Spelling.form.decoded(raw).withUnsafeBufferPointer {
                        names.field(FormFields.lastPart(of: $0), in: fields.place, isLogin: isLogin)
                    }
                case .json where raw.contains(.backslash):
                    Spelling.json.decoded(raw).withUnsafeBufferPointer { names.field($0, in: .json, isLogin: isLogin) }
                default: names.field(raw, in: fields.place, isLogin: isLogin)
                }
            guard let secret else { continue }
            let isRemark = field.isListed && SecretValues.isRemark(fields.text.part(field.value))
            return isRemark ? nil : secret
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a value without a telling name is worth being read by itself.
    ///
    /// Such a value looks like a text of another format, or has escapes. The escapes that every writer makes do not
    /// count, because known values are looked for with them anyway.
    private func hasFormat(_ raw: Bytes, in spelling: Spelling) -> Bool {
        switch spelling {
        case .query, .form:
            return raw.contains(.percent) || (spelling == .form && raw.contains(.plus)) || raw[0] == .openingBrace
                || raw.position(of: "://", from: 0) != nil || raw.has("eyJ", at: 0)
        case .json:
            var found: UInt8 = 0
            for byte in raw { found |= Self.signs[Int(byte)] }
            if found & 1 != 0 || found & 6 == 6 || found & 12 == 12 { return true }
            if found & 8 != 0, raw.position(of: "\\u", from: 0) != nil { return true }
            return found & 4 != 0 && isHeaderLine(raw)
        case .plain, .xml: return !raw.contains(0)
        }
    }

    /// The characters that tell of another format in a string, or of an escape.
    private static let signs: [UInt8] = {
        var result = [UInt8](repeating: 0, count: 256)
        for (index, signs) in ["=<&%", "(", ":", "\\"].enumerated() {
            for byte in signs.utf8 { result[Int(byte)] = 1 << UInt8(index) }
        }
        return result
    }()

    /// Returns a Boolean value that indicates whether a value is `X-Api-Key: …`, a header field in a list of lines.
    private func isHeaderLine(_ value: Bytes) -> Bool {
        guard let colon = value.position(of: .colon, from: 0, to: 64), colon > 2, value.at(colon + 1) == .space else {
            return false
        }
        let name = value.part(0..<colon)
        return name.allSatisfy(\.isWordPart) && names.field(name, in: .json) != nil
    }
}
