import Foundation

/// A value that a test made is a stub too: the request names the value, and the response has it as JSON.
extension StubRequest {
    private static let valueMethod = "VALUE"
    private static let valueScheme = "value:"

    /// Creates a request that names a value, and that no client can send: `VALUE value:order`.
    init(valueNamed name: String) {
        let encoded = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let url = URL(string: Self.valueScheme + encoded) ?? URL(fileURLWithPath: encoded)
        self.init(method: Self.valueMethod, url: url)
    }

    /// The name of the value that a test made; `nil` for a request to a server.
    package var valueName: String? {
        guard method == Self.valueMethod else { return nil }
        let text = url.absoluteString
        return text.hasPrefix(Self.valueScheme)
            ? PercentEncoding.decoded(String(text.dropFirst(Self.valueScheme.count))) : nil
    }
}
