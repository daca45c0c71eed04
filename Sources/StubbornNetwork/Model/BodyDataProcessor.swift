import Foundation

/// A type that changes bodies before they are stored, and before they are delivered.
///
/// Conform to it if bodies contain secrets that redaction cannot recognize, or values that differ in every run.
///
///     struct WithoutPIN: BodyDataProcessor {
///         func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data? { data.map(maskingPIN) }
///     }
///
/// Each method returns its input by default. The methods are called before redaction, on any thread, possibly
/// concurrently. Their results must depend only on their arguments, because `dataForStoringRequestBody` is also called
/// for a live request before it is compared with the declared stubs and the recorded ones.
public protocol BodyDataProcessor: Sendable {
    /// Returns the request body to store, which is also compared with recorded ones.
    ///
    /// Patterns and closures of declared stubs get it, too. `hold` and `exchanges(matching:)` get the body that the
    /// client sent.
    func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data?

    /// Returns the response body to store.
    ///
    /// The client receives the server's body unchanged.
    func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data?

    /// Returns the body that the client receives when a stub is played back.
    func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data?
}

extension BodyDataProcessor {
    /// Returns the request body unchanged.
    public func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data? { data }
    /// Returns the response body unchanged.
    public func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data? { data }
    /// Returns the response body unchanged.
    public func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data? { data }
}

/// A processor that keeps members of JSON request bodies out of stub files, and compares their checksums.
///
/// A prompt that is confidential, or too long to read, is still compared:
///
///     network.bodyDataProcessor = TextChecksums(ofJSONKeyPaths: "messages.content")
///
/// The stub file contains `"content" : "checksum 9c1185a5c5e9fc54"`. A request with different text finds no stub. The
/// checksum is the 64-bit FNV-1a hash of the member's JSON, whatever its spelling. It hides only text that nobody can
/// guess.
public struct TextChecksums: BodyDataProcessor {
    private let paths: [JSONKeyPath]

    /// Creates a processor for the members at key paths such as `messages.content`.
    ///
    /// A key path passes through arrays.
    public init(ofJSONKeyPaths paths: String...) { self.paths = paths.map { JSONKeyPath($0) } }

    /// Returns the body with a checksum in place of each member; a body that is not JSON is returned unchanged.
    public func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data? {
        guard let data else { return nil }
        let edits = JSONMembers.ranges(of: paths, in: data).values.compactMap { range -> Edit? in
            guard let value = JSONValue(data.part(range)) else { return nil }
            let checksum = Checksum(value.text(upTo: .max))
            return Edit(range: range, text: Array("\"checksum \(checksum.value.hexadecimal)\"".utf8))
        }
        return data.withBytes { Edit.apply(edits, to: $0) }.map { Data($0) } ?? data
    }
}
