import StubbornNetwork

extension Stub {
    /// The part of this stub that is not valid HTTP (RFC 9110, sections 5.1, 5.5 and 9.1); `nil` if all parts are
    /// valid.
    ///
    /// Exports of other programs may contain anything, and a player of the stub would send it.
    var syntaxFault: String? {
        guard request.method.isToken else { return "The method \(request.method.debugDescription) is not one word." }
        for field in Array(request.headerFields) + Array(response.head?.headerFields ?? [:]) {
            guard field.name.isToken else { return "\(field.name.debugDescription) is not the name of a header field." }
            guard field.value.isFieldValue else { return "The header field \(field.name) has a line break." }
        }
        return nil
    }
}

extension String {
    /// A Boolean value that indicates whether the text is a token, as methods and the names of header fields are.
    fileprivate var isToken: Bool {
        !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
    }

    /// A Boolean value that indicates whether the text can be the value of a header field: it has no line break and no zero.
    var isFieldValue: Bool { utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 } }
}
