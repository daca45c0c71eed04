/// A search for the placeholders of secrets, in a live request or in the response of a stub.
enum PlaceholderSearch {
    /// A placeholder and its location in a request.
    struct Found: Sendable, Equatable {
        /// The placeholder: `REDACTED-token-1`.
        let text: String
        /// The part of the request: `URL`, `body`, `header field Authorization`.
        let part: String
    }

    /// Returns the first placeholder in a request; `nil` if there is none.
    static func placeholder(in request: StubRequest) -> Found? {
        for text in request.texts {
            guard let found = text.withText({ bytes, _ in Placeholder.all(in: bytes).first?.text }) else { continue }
            let part = text.part.dropFirst("request ".count)
            return Found(
                text: found,
                part: part.hasPrefix("header ") ? "header field " + part.dropFirst("header ".count) : String(part)
            )
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a response gives a placeholder to the client.
    static func contains(_ placeholder: String, in response: StubResponse) -> Bool {
        response.texts.contains { text in
            text.data.withBytes { bytes in Placeholder.all(in: bytes).contains { $0.text == placeholder } }
        }
    }
}
