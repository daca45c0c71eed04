import Foundation

/// A search for the placeholders of secrets, in a live request or in the response of a stub.
///
/// Placeholders are found as they are and in base64. They consist of characters that URLs, forms and JSON do not escape.
struct PlaceholderSearch {
    /// A placeholder and its location in a request.
    struct Found: Sendable, Equatable {
        /// The placeholder: `REDACTED-token-1`.
        let text: String
        /// The part of the request: `URL`, `body`, `header field Authorization`.
        let part: String
    }

    private var rewriter = Rewriter(.none, mode: .learning)

    /// Returns the first placeholder in a request; `nil` if there is none.
    static func placeholder(in request: StubRequest) -> Found? {
        var search = PlaceholderSearch()
        for text in request.texts {
            var data = text.data
            if case .body = text.place,
                let plain = data.withBytes({
                    WrappedText($0, coding: text.fields["Content-Encoding"])?.text
                })
            {
                data = Data(plain)
            }
            guard let found = search.placeholders(in: data).last else { continue }
            let part = text.part.dropFirst("request ".count)
            return Found(
                text: found,
                part: part.hasPrefix("header ")
                    ? part.replacingOccurrences(of: "header ", with: "header field ") : String(part)
            )
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a response gives a placeholder to the client.
    static func contains(_ placeholder: String, in response: StubResponse) -> Bool {
        var search = PlaceholderSearch()
        return response.texts.contains { search.placeholders(in: $0.data).contains(placeholder) }
    }

    /// Returns the placeholders in a text and in all texts before.
    private mutating func placeholders(in data: Data?) -> [String] {
        data?.withBytes { rewriter.notePlaceholders(in: $0) }
        return rewriter.vault.found
    }
}
