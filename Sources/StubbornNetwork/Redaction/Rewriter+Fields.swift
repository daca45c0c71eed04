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

        /// A Boolean value that indicates whether the text has a JSON Web Key.
        lazy var hasWebKey = text.position(of: "\"kty\"", from: 0) != nil

        /// A Boolean value that indicates whether names in the text say that times in it belong to a signature.
        lazy var isSigned = SecretList.signatureNames.contains { text.position(of: $0, from: 0) != nil }
    }

    /// Rewrites text in one of the formats that rules look into, and then as text.
    mutating func content(_ bytes: Bytes, depth: Int, type: String = "") -> [UInt8]? {
        guard depth < Self.maximumDepth else { return nil }
        let format = TextFormat(bytes, type: type)
        var first: [UInt8]?
        var isDecoded = false
        var searchesURLs = true
        if case .reference = format.kind {
            first = url(bytes, depth: depth)
            searchesURLs = false
        } else {
            let names = names
            var fields = Fields(text: bytes, place: format.place, depth: depth, readsUnnamed: format.place != .xml)
            isDecoded = format.read(isTelling: { names.spread(bytes.part($0), in: format.place) != nil }) {
                rewrite($0, in: &fields)
            }
            if let unnamed, depth == 0, case .other = format.kind {
                var range = bytes.trimmed(0..<bytes.count)
                if bytes.at(range.lowerBound) == .quote, range.count > 2 {
                    range = range.lowerBound + 1..<range.upperBound - 1
                }
                if unnamed.accepts(bytes.part(range)) {
                    fields.edits.append(Edit(range: range, text: text(for: bytes.part(range), unnamed)))
                }
            }
            first = Edit.apply(fields.edits, to: bytes)
        }
        if !isDecoded, let strictness = format.settings {
            first = then(first, bytes) { $0.settings($1, strictness) }
        }
        return then(first, bytes) {
            $0.free($1, depth: depth, searchesURLs: searchesURLs, searchesEscapes: !isDecoded)
        }
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
        FormFields.read(fields.text, as: .query) { rewrite($0, in: &fields) }
        return fields.edits.map { $0.moved(by: range.lowerBound) }
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

    // MARK: Fields

    /// Adds the edit that a field needs.
    ///
    /// - Returns: `false` where it needs none.
    @discardableResult
    private mutating func rewrite(_ field: TextField, in fields: inout Fields) -> Bool {
        let raw = fields.text.part(field.value)
        let secret = secret(of: field, in: &fields) ?? (isLoose ? companion(field, in: &fields) : nil)
        if field.isNumber {
            // Numbers of one or two digits are counts and flags, not secrets.
            guard let secret, secret.takesNumbers, raw.count >= 3 else { return false }
            let number = vault.number(for: raw, secret)
            guard !number.elementsEqual(raw) else { return false }
            fields.edits.append(Edit(range: field.value, text: number))
            return true
        }
        let isKnown = vault.knowsShort(raw)
        let hasFormat = fields.readsUnnamed && hasFormat(raw, in: field.spelling)
        guard secret != nil || isKnown || hasFormat else { return false }
        let value = field.spelling.decoded(raw)
        let depth = fields.depth + 1
        let isResponse = isResponse
        let changed = value.withUnsafeBufferPointer { value -> [UInt8]? in
            if isKnown { return text(for: value, SecretField(label: "value", rule: .included)) }
            if let secret, secret.accepts(value, isResponse: isResponse) {
                return replacement(for: value, of: secret, depth: depth)
            }
            let first = hasFormat ? encodedText(value, depth: depth) ?? content(value, depth: depth) : nil
            guard let secret, secret.test == .randomLooking else { return first }
            return then(first, value) { $0.runs(in: $1, secret, atLeast: 16) }
        }
        guard let changed, changed != value else { return false }
        fields.edits.append(Edit(range: field.value, text: field.spelling.encoded(changed, inPlaceOf: raw)))
        return true
    }

    /// Returns the meaning of the nearest name that carries a secret: the field's own, or one around it.
    private func secret(of field: TextField, in fields: inout Fields) -> SecretField? {
        for range in field.names {
            let raw = fields.text.part(range)
            var beside: SecretField?
            if raw.count == 4, raw.hasIgnoringCase("code", at: 0), fields.place != .xml, fields.isLogin {
                beside = SecretField(label: "code", rule: .pinFields, test: .loginCode)
            } else if raw.count <= 2, fields.place == .json, raw.isOne(of: SecretList.privateMembers), fields.hasWebKey
            {
                beside = SecretField(label: "private_key", rule: .privateKeys, test: .randomLooking)
            }
            let isEncoded = field.spelling == .form || (field.spelling == .query && fields.place != .json)
            let secret: SecretField? =
                if isEncoded {
                    Spelling.form.decoded(raw).withUnsafeBufferPointer { name in
                        names.field(FormFields.lastPart(of: name), in: fields.place, beside: beside)
                            ?? names.field(name, in: fields.place)
                    }
                } else if raw.contains(.backslash) {
                    Spelling.json.decoded(raw).withUnsafeBufferPointer {
                        names.field($0, in: fields.place, beside: beside)
                    }
                } else {
                    names.field(raw, in: fields.place, beside: beside)
                }
            if let secret { return secret }
        }
        if let outer = field.outer { return names.spread(fields.text.part(outer), in: fields.place) }
        return field.names.isEmpty && fields.depth == 0 ? unnamed : nil
    }

    /// Returns the meaning of what a signature brings along, which is another one in each run.
    private mutating func companion(_ field: TextField, in fields: inout Fields) -> SecretField? {
        guard let name = field.names.first.map({ fields.text.part($0) }) else { return nil }
        let value = fields.text.part(field.value)
        let isNonce = name.isOne(of: SecretList.nonces) && (RandomText.looksRandom(value) || Placeholder.isWhole(value))
        let isTime = name.isOne(of: SecretList.signatureTimes) && value.contains(where: \.isDigit) && fields.isSigned
        guard isNonce || isTime else { return nil }
        companions.append((name.text, String(decoding: field.spelling.decoded(value), as: UTF8.self)))
        return SecretField(label: "companion", rule: .included, follows: false)
    }

    /// Replaces the words of a value that look random, by what its name says.
    mutating func runs(in value: Bytes, _ secret: SecretField, atLeast minimum: Int) -> [UInt8]? {
        guard value.count <= 65_536, value.position(of: "://", from: 0) == nil else { return nil }
        let edits = RandomText.runs(in: value, atLeast: minimum).compactMap { range -> Edit? in
            let run = value.part(range)
            return !Placeholder.isIn(run) || Placeholder.isWhole(run)
                ? Edit(range: range, text: text(for: run, secret)) : nil
        }
        return Edit.apply(edits, to: value)
    }

    /// Rewrites what is text in base64.
    private mutating func encodedText(_ value: Bytes, depth: Int) -> [UInt8]? {
        guard Base64.isText(value) else { return nil }
        let end = value.start(before: value.count) { $0 == .equals }
        let edit = base64(value, 0..<end, depth: depth) { $0.content($1, depth: depth) }
        return Edit.apply(edit.map { [$0] } ?? [], to: value)
    }

    /// Returns a Boolean value that indicates whether a value without a telling name is worth being read by itself.
    ///
    /// Such a value looks like a text of another format, or has escapes. The escapes that every writer makes do not
    /// count, because known values are looked for with them anyway.
    private func hasFormat(_ raw: Bytes, in spelling: Spelling) -> Bool {
        switch spelling {
        case .query, .form:
            return raw.contains(.percent) || (spelling == .form && raw.contains(.plus)) || raw[0] == .openingBrace
                || raw.position(of: "://", from: 0) != nil || Base64.isText(raw)
        case .json:
            var found: UInt8 = 0
            for byte in raw { found |= Self.signs[Int(byte)] }
            if found & 1 != 0 || found & 6 == 6 || found & 12 == 12 { return true }
            if found & 8 != 0, raw.position(of: "\\u", from: 0) != nil { return true }
            // A sentence with a word that looks random.
            if found & 48 == 48, !RandomText.runs(in: raw, atLeast: 14).isEmpty { return true }
            return found & 4 != 0 && isHeaderLine(raw) || Base64.isText(raw)
        case .plain, .xml: return !raw.contains(0)
        }
    }

    /// The characters that tell of another format in a string, or of an escape.
    private static let signs: [UInt8] = {
        var result = [UInt8](repeating: 0, count: 256)
        for (index, signs) in ["=<&%", "(", ":", "\\", " ", "0123456789"].enumerated() {
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

extension TextFormat {
    /// The place in which the names of the format stand.
    var place: SecretPlaces {
        switch kind {
        case .xml: .xml
        case .form, .multipart: .form
        default: .json
        }
    }
}
