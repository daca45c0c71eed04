import Foundation

/// The parameters of an `Authorization: Digest …` field (RFC 7616), for MD5 and `qop=auth`.
struct DigestAuthentication {
    private let parameters: [String: String]

    /// Reads `username="ada", nc=00000001, …`; what cannot be read is as if it were missing.
    init(_ credentials: String) {
        var parameters: [String: String] = [:]
        var rest = Substring(credentials)
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].trimmingCharacters(in: CharacterSet(charactersIn: ", \t")).lowercased()
            rest = rest[rest.index(after: equals)...]
            if rest.first == "\"" {
                let value = rest.dropFirst().prefix { $0 != "\"" }
                rest = rest.dropFirst(value.count + 2)
                parameters[name] = String(value)
            } else {
                let value = rest.prefix { $0 != "," }
                rest = rest.dropFirst(value.count)
                parameters[name] = value.trimmingCharacters(in: .whitespaces)
            }
        }
        self.parameters = parameters
    }

    /// Whether the credentials answer a challenge of ours, for this request.
    func isRight(user: String, password: String, method: String, target: String) -> Bool {
        parameters["username"] == user && parameters["uri"] == target && parameters["realm"] == "test"
            && Self.isNonce(parameters["nonce"] ?? "")
            && parameters["response"] == response(password: password, method: method)
    }

    /// The response that these parameters require (section 3.4.1); nil if one is missing.
    func response(password: String, method: String) -> String? {
        guard let user = parameters["username"], let realm = parameters["realm"], let uri = parameters["uri"],
            let nonce = parameters["nonce"], let count = parameters["nc"], let clientNonce = parameters["cnonce"],
            parameters["qop"] == "auth"
        else { return nil }
        let secret = MD5.hex("\(user):\(realm):\(password)")
        return MD5.hex("\(secret):\(nonce):\(count):\(clientNonce):auth:\(MD5.hex("\(method):\(uri)"))")
    }

    /// A challenge whose nonce says itself that it is ours.
    static func challenge(number: Int) -> String {
        let nonce = nonce(String(number))
        return #"Digest realm="test", qop="auth", algorithm=MD5, nonce="\#(nonce)", opaque="opaque""#
    }

    private static func nonce(_ number: String) -> String {
        "\(number)-\(MD5.hex("\(number) is ours"))"
    }

    private static func isNonce(_ text: String) -> Bool {
        text == nonce(String(text.prefix { $0 != "-" }))
    }
}
