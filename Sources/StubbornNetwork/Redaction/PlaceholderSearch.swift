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
        let coding = request.headerFields["Content-Encoding"]
        let plainBody = request.body?.withBytes { WrappedText($0, coding: coding)?.text }.map { Data($0) }
        let fields = request.headerFields.map { ("header field \($0.name)", Data($0.value.utf8)) }
        let parts = [("URL", Data(request.url.absoluteString.utf8))] + fields + [("body", plainBody ?? request.body)]
        for (part, data) in parts {
            if let text = search.placeholders(in: data).last { return Found(text: text, part: part) }
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a response gives a placeholder to the client.
    static func contains(_ placeholder: String, in response: StubResponse) -> Bool {
        var search = PlaceholderSearch()
        let fields = response.head?.headerFields.map { Data($0.value.utf8) } ?? []
        return (fields + [try? response.body]).contains { search.placeholders(in: $0).contains(placeholder) }
    }

    /// Returns the placeholders in a text and in all texts before.
    private mutating func placeholders(in data: Data?) -> [String] {
        data?.withBytes { rewriter.notePlaceholders(in: $0) }
        return rewriter.vault.found
    }
}
