/// The names of values that differ each time: signatures, the times of signatures, and random values for a login.
enum VolatileNames {
    /// Returns a Boolean value that indicates whether a header field has a signature.
    static func isSignature(header name: String) -> Bool { name.withBytes(Placeholder.label).isSignature }

    /// Returns a Boolean value that indicates whether a request is signed in its header fields.
    static func isSigned(_ request: StubRequest) -> Bool {
        request.headerFields.contains { field in
            isSignature(header: field.name)
                || field.name.isSameFieldName(as: "Authorization")
                    && (field.value.hasPrefix("AWS4-")
                        || ["signature", "Signature", "hmac"].contains(where: field.value.hasWord))
        }
    }

    /// Returns a Boolean value that indicates whether a field's value differs each time.
    ///
    /// A time does next to a signature or a nonce, and so does a nonce that is a time in a signed request. A state, a nonce and
    /// a challenge do if they look random.
    static func isVolatile(_ name: Bytes, _ value: Bytes, isSigned: Bool) -> Bool {
        let label = Placeholder.label(name)
        if name.isOne(of: SecretList.nonces) || label.isSignature {
            // In 16 bytes of base64url, `-` and `_` may leave no word that is long enough to look random.
            let isLong = value.count >= 20 && value.allSatisfy(\.isTokenPart) && value.hasBothCases
            if isLong || value.count >= 16 && RandomText.looksRandom(value) { return true }
        }
        let isTime = name.isOne(of: SecretList.signatureTimes) || label.hasSuffix("nonce")
        return isSigned && isTime && value.contains(where: \.isDigit)
    }
}

extension String {
    /// The last word of a placeholder's label.
    var lastWord: Substring { split(separator: "_").last ?? "" }

    fileprivate func hasWord(_ word: StaticString) -> Bool { withBytes { $0.hasWord(word) } }

    /// A Boolean value that indicates whether a placeholder's label is that of a signature.
    fileprivate var isSignature: Bool { hasSuffix("signature") || ["sig", "sign", "hmac"].contains(lastWord) }
}
