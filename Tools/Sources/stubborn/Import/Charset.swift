import Foundation

/// The character set of a string body.
struct Charset {
    let encoding: String.Encoding

    /// Reads the parameter `charset` of a content type; UTF-8 if it is missing or unknown.
    init(contentType: String?) {
        let parameters = (contentType ?? "").lowercased().components(separatedBy: ";").dropFirst()
        let name = parameters.map { $0.trimmingCharacters(in: .whitespaces) }.first { $0.hasPrefix("charset=") }?
            .dropFirst("charset=".count)
        encoding =
            name.flatMap { Self.encodings[$0.trimmingCharacters(in: CharacterSet(charactersIn: "\"' "))] } ?? .utf8
    }

    private static let encodings: [String: String.Encoding] = [
        "iso-8859-1": .isoLatin1, "latin1": .isoLatin1, "us-ascii": .isoLatin1, "iso-8859-2": .isoLatin2,
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254, "shift_jis": .shiftJIS, "euc-jp": .japaneseEUC,
        "iso-2022-jp": .iso2022JP, "utf-16": .utf16, "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
    ]

    /// Returns the bytes of a string; in UTF-8 if the character set lacks one of its characters.
    func data(_ text: String) -> Data { text.data(using: encoding) ?? Data(text.utf8) }

    /// Returns the text of bytes, if encoding it gives the same bytes again.
    func text(_ data: Data) -> String? {
        guard let text = String(data: data, encoding: encoding), self.data(text) == data else { return nil }
        return text
    }
}

extension String {
    /// The text as a value of a form (`application/x-www-form-urlencoded`).
    var formEncoded: String {
        let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._*")
        return components(separatedBy: " ").map { $0.addingPercentEncoding(withAllowedCharacters: allowed) ?? $0 }
            .joined(separator: "+")
    }
}
