/// A search for the placeholders of secrets, in a live request or in the response of a stub.
enum PlaceholderSearch {
    /// A placeholder and its location in a request.
    struct Found: Sendable, Equatable {
        /// The placeholder: `REDACTED-token-1`.
        let text: String
        /// The part of the request: `URL`, `body`, `header Authorization`.
        let part: String
    }

    /// Returns the first placeholder in a request; `nil` if there is none.
    static func placeholder(in request: StubRequest) -> Found? {
        request.texts.lazy.compactMap { text in
            text.withText { bytes, _ in Placeholder.all(in: bytes).first?.text }
                .map { Found(text: $0, part: String(text.part.dropFirst("request ".count))) }
        }.first
    }

    /// Returns a Boolean value that indicates whether a response gives a placeholder to the client.
    static func contains(_ placeholder: String, in response: StubResponse) -> Bool {
        response.texts.contains { text in
            text.data.withBytes { bytes in Placeholder.all(in: bytes).contains { $0.text == placeholder } }
        }
    }
}
