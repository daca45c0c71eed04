/// The tests that decide, from a value under the name of a secret, whether and where it is replaced.
enum SecretValues {
    /// Returns a Boolean value that indicates whether a value is a word for no secret, or a mask.
    static func isTrivial(_ value: Bytes) -> Bool {
        let text = value.count <= 32 ? FieldName(value).text : "-"
        return text.isEmpty || SecretList.commonWords.contains(text)
    }

    /// Returns the surroundings in which a value is replaced outside its own field; `nil` if it is not.
    ///
    /// A value that is certain to be a secret is always looked for. A value that was only recognised by its name is not, if it
    /// may occur elsewhere by chance: a PIN of four digits, the password `sunshine`, a date.
    static func reach(of value: Bytes, isCertain: Bool = false) -> ValueFinder.Reach? {
        guard value.count >= 6, value.count <= 65_536, value.contains(where: { $0 != value[0] }),
            !isTrivial(value)
        else { return isCertain ? .whole : nil }
        if value.allSatisfy(\.isDigit) {
            return value.count < 8 || RandomText.isPlain(value) ? isCertain ? .whole : nil : .word
        }
        if value.allSatisfy(\.isLetter) {
            return value.count >= 12 ? .word : isCertain ? .whole : nil
        }
        let letters = value.end(from: 0, while: \.isLetter)
        let isNumberedWord =
            letters >= 3 && value.count - letters <= 4 && value.end(from: letters, while: \.isDigit) == value.count
        if value.count < 8 || isNumberedWord { return isCertain || value.isMixed ? .whole : nil }
        return .everywhere
    }

    /// Returns a Boolean value that indicates whether a value is another thing under the name of a secret: a price, the
    /// address of a contract, a checksum, a version, a public key, or a URL without a query and a user.
    static func isOrdinary(_ value: Bytes) -> Bool {
        if isPublicKey(value) { return true }
        let algorithm = value.has("sha", at: 0) ? value.end(from: 3, while: \.isDigit) : 0
        if value.count == 42 && value.has("0x", at: 0) || algorithm > 3 && value.at(algorithm).isOne(of: "-:") {
            return true
        }
        let colon = value.end(from: 0, while: \.isLetter)
        if value.has("://", at: colon) { return hasNoQuery(value) }
        if isConstant(value) { return true }
        return value.contains(.dot) && value.count < 24 && RandomText.isPlain(value)
            && value.first { !$0.isOne(of: "^~v>=<") }.map(\.isDigit) == true
    }

    /// Returns a Boolean value that indicates whether a URL has neither a user nor a query, except for a version: `a.png?v5`.
    private static func hasNoQuery(_ url: Bytes) -> Bool {
        if url.contains(where: { $0.isOne(of: "#@") }) { return false }
        guard let mark = url.position(of: UInt8(ascii: "?"), from: 0) else { return true }
        return url.count - mark <= 5 && !url.part(mark..<url.count).contains(.equals)
    }

    /// Returns a Boolean value that indicates whether a value is the name of a constant: `DEFAULT_UPDATE`.
    private static func isConstant(_ value: Bytes) -> Bool {
        let isWord = value.allSatisfy { $0.isUppercase || $0 == .underscore }
        return isWord && value.contains(.underscore) && value.count < 64 && !RandomText.looksDrawn(value)
    }

    /// Returns a Boolean value that indicates whether a value is a public key or a certificate.
    ///
    /// It is in lines with a title (RFC 7468), or as OpenSSH writes it (RFC 4253, section 6.6).
    private static func isPublicKey(_ value: Bytes) -> Bool {
        if value.has("-----BEGIN ", at: 0) {
            let title = value.part(11..<(value.position(of: "-----", from: 11) ?? value.count))
            return title.position(of: "PUBLIC KEY", from: 0) != nil || title.position(of: "CERTIFICATE", from: 0) != nil
        }
        // In base64, the length of a name, and `ssh-` or `ecdsa-`.
        let start = value.has("ssh-", at: 0) || value.has("ecdsa-", at: 0) ? value.end(from: 0) { $0 != .space } + 1 : 0
        let names: [StaticString] = ["3NzaC", "2VjZHNh"]
        return value.has("AAAA", at: start) && names.contains { value.has($0, at: start + 5) }
    }

    /// Returns a Boolean value that indicates whether a value is the name of a file or a place in a folder: `a/b.png`.
    static func isPath(_ value: Bytes) -> Bool {
        if value.contains(.slash) {
            let start = value.at(0) == .slash ? 1 : 0
            let end = value.end(from: start) { $0.isLowercase || $0 == .hyphen || $0 == .underscore }
            // Base64 may have a slash behind its first letter, or before it.
            return value.at(end) == .slash && end > start + 1 && value.at(value.count - 1) != .equals
        }
        let end = value.start(before: value.count, while: \.isLowercase)
        return value.at(end - 1) == .dot && 2...4 ~= value.count - end
    }

    /// Returns a Boolean value that indicates whether a value, or a part of it, looks random, and is neither a path nor a text.
    static func looksRandom(_ value: Bytes) -> Bool {
        let value = value.part(0..<value.start(before: value.count) { $0 == .equals })
        return value.count >= 8 && value.count <= 65_536
            && value.allSatisfy { $0 > .space && $0 < .delete && !$0.isOne(of: "\"'<>{}[],;=\\") }
            && value.position(of: "://", from: 0) == nil && !isPath(value) && !value.has("0x", at: 0)
            && (RandomText.hasRandomWord(value)
                || value.hasBothCases && RandomText.hasRareLetters(value))
    }

    /// Returns a Boolean value that indicates whether a value begins as ids do, and no provider's key: `cus_4fx8…`.
    static func hasPrefixOfID(_ value: Bytes) -> Bool {
        let prefix = value.end(from: 0, while: \.isLowercase)
        return prefix > 1 && value.at(prefix) == .underscore
    }

    /// Returns a Boolean value that indicates whether a value under the bare name `key` is what a thing is known by, and no
    /// credential: short, in small letters and digits, in a folder: `nihriicz1x261`, `images/8xjg.png`.
    static func isKnownBy(key value: Bytes) -> Bool {
        value.count < 24 && value.allSatisfy { $0.isLowercase || $0.isDigit || $0.isOne(of: "-_./") }
    }

    /// Returns a Boolean value that indicates whether a value looks like a credential whatever its name is: long and random, and
    /// neither an id in one of the usual forms nor text.
    static func isOpaque(_ value: Bytes) -> Bool {
        guard value.count >= 16, value.allSatisfy({ $0.isTokenPart || $0.isOne(of: ":|!*~$#") }) else {
            return false
        }
        let isHexadecimal = value.allSatisfy { $0.hexValue != nil || $0 == .hyphen }
        // `cus_…` is the id of a customer.
        let prefix = value.end(from: 0, while: \.isLowercase)
        return !(prefix > 1 && value.at(prefix).isOne(of: "_-")) && !isPath(value)
            && !Base64.isText(value) && (!isHexadecimal || 32...128 ~= value.count && !value.contains(.hyphen))
            && (value.hasBothCases || value.count >= 24 && value.contains(where: \.isDigit)) && !value.has("0x", at: 0)
            && RandomText.looksDrawn(value) && !isName(value)
    }

    /// Returns a Boolean value that indicates whether a value is a name as code has it: `catalogue.getAllPages`.
    private static func isName(_ value: Bytes) -> Bool {
        FieldName(value).words(from: 0).allSatisfy { word in
            word.utf8.count >= 3 && word.allSatisfy(\.isLetter) && word.utf8.contains(where: \.isVowel)
        }
    }

    /// Returns a Boolean value that indicates whether a value is the words of a wallet: 12, 15 … 24 words of three to eight small
    /// letters (BIP 39).
    static func isPhrase(_ value: Bytes) -> Bool {
        guard 47...216 ~= value.count, value.allSatisfy({ $0.isLowercase || $0 == .space }) else { return false }
        let words = value.parts(of: 0..<value.count, separatedBy: .space)
        return 12...24 ~= words.count && words.count % 3 == 0 && words.allSatisfy { 3...8 ~= $0.count }
    }

    /// Returns a Boolean value that indicates whether a value is capital letters in groups, as people type them: `WDJB-MJHT`.
    static func isGroups(_ value: Bytes) -> Bool {
        value.count >= 8 && value.contains(.hyphen)
            && value.allSatisfy { $0.isUppercase || $0.isDigit || $0 == .hyphen }
    }

    /// Returns a Boolean value that indicates whether a value is text that people read: a label, its translation or a remark,
    /// as in `"password": "Passwort vergessen?"` and `"password": ["is too short"]`.
    ///
    /// These are words with a capital letter first, with one outside ASCII, with a short word or with the name of a secret. Three
    /// words and more may have numbers of two digits.
    static func isText(_ value: Bytes) -> Bool {
        guard value.count < 256, value.firstInvalidUTF8 == nil, !isGroups(value), !isPhrase(value),
            value.allSatisfy({ $0.isAlphanumeric || $0 >= 0x80 || $0.isOne(of: " '-.,:;!?()/\"{}_") })
        else { return false }
        let wordCount = value.split(separator: .space).count
        let parts = value.split { $0 < 0x80 && !$0.isAlphanumeric }
        guard
            parts.allSatisfy({
                $0.count < 32
                    && ($0.allSatisfy(\.isDigit) ? $0.count < 3 && wordCount > 2 : !Bytes(rebasing: $0).isMixed)
            })
        else { return false }
        // A passphrase has longer words: `correct horse battery staple`.
        let isSentence = wordCount > 1 && (value[0].isUppercase || parts.contains { $0.count < 4 })
        return isSentence || value.contains { $0 >= 0x80 }
            || wordCount == 1 && value[0].isUppercase && value.dropFirst().allSatisfy { !$0.isUppercase && $0.isLetter }
            || value.contains { $0.isOne(of: " -_") } && SecretNames.resemblesSecret(value)
    }
}

extension SecretField {
    /// Returns a Boolean value that indicates whether a value under that name is a secret, or a placeholder for one.
    ///
    /// In a response, `password` may be the label of a field: "Forgot your password?". A key, a token and a code are no words.
    func accepts(_ value: Bytes, isResponse: Bool = false) -> Bool {
        if value.isEmpty || SecretValues.isTrivial(value) { return false }
        if isResponse, rule != .included {
            let start = form == .credentials ? value.end(from: 0) { $0 != .space } + 1 : 0
            let value = value.part((start < value.count ? start : 0)..<value.count)
            let isWord =
                [.keyFields, .tokenFields, .pinFields].contains(rule) && !SecretValues.isGroups(value)
                && value.allSatisfy { $0.isLetter || $0.isOne(of: " '-.") } && !SecretValues.looksRandom(value)
            if isWord || SecretValues.isText(value) { return false }
        }
        if SecretValues.isOrdinary(value), rule != .included { return false }
        let isNumber = value.allSatisfy { $0.isDigit || $0 == .hyphen || $0 == .space }
        switch test {
        case .any: return !isResponse || value.count >= 4 || !value.allSatisfy(\.isLetter)
        case .notShortWord:
            // Bare `token` is what many texts consist of.
            return (value.count >= 6 || value.count >= 4 && value.contains { !$0.isLetter })
                && !(label == "token" && RandomText.isPlain(value)
                    && value.allSatisfy { $0.isUnreserved || $0 == .space })
        case .pin:
            return isNumber
                ? takesNumbers && value.count >= 3
                : value.count >= 5 && value.contains(where: \.isDigit) || !isResponse && value.count >= 6
                    || SecretValues.looksRandom(value) || SecretValues.isGroups(value)
        case .code:
            return SecretValues.looksRandom(value)
                || !isResponse && isNumber && 4...8 ~= value.filter(\.isDigit).count
        case .randomLooking: return SecretValues.looksRandom(value)
        case .sentRandomLooking:
            // In a response, the `sid` of a thing is its id: `SM9f8a…`.
            return SecretValues.looksRandom(value)
                && (!isResponse
                    || rule == .sessionFields
                        && !(value[1].isUppercase && value.dropFirst(2).allSatisfy { $0.hexValue != nil }))
        }
    }
}
