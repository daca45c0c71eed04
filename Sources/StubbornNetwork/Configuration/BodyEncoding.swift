/// The encoding in which recorded bodies are written into a stub file.
///
/// Every encoding can be read, whichever is set.
///
///     network.bodyEncoding = .readable
public enum BodyEncoding: String, Sendable, CaseIterable, Codable {
    /// The default: base64 under `data`, for any body, byte for byte.
    case base64

    /// Text that a reviewer can read: JSON under `json`, the fields of a form under `form`, other UTF-8 text as an array of
    /// lines under `text`, and any other body as base64 under `data`.
    ///
    /// Text is played back byte for byte. JSON is played back as the same value, with its keys in the same order and its
    /// numbers spelled as they were, but without white space.
    case readable
}
