/// How recorded bodies are written into a stub file. Reading takes every shape, whatever is chosen here.
///
///     network.bodyEncoding = .readable
public enum BodyEncoding: Sendable {
    /// Base64 under `data`: any body, byte for byte. The default.
    case base64

    /// What a reviewer can read: JSON under `json`, other UTF-8 text as an array of lines under `text`, and whatever is
    /// neither as base64 under `data`.
    ///
    /// Text comes back byte for byte. JSON comes back as the same value, with its keys in their order and its numbers
    /// as they were spelled, but without the white space between.
    case readable
}
