// A network client as any app has one. It takes the URLSession that it speaks through, and that is all it takes to be
// tested without a server: it does not know The Stubborn Network, and does not change for it.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Finds out how big things are.
public struct BytesClient: Sendable {
    private let session: URLSession

    /// Creates a client that sends its requests through a session.
    public init(session: URLSession) {
        self.session = session
    }

    /// How many bytes a download of `url` has.
    ///
    /// - Throws: `UnexpectedStatus` when the server answers with anything but 200 to 299, and what the session throws.
    public func byteCount(of url: URL) async throws -> Int {
        let (data, response) = try await session.data(from: url)
        if let response = response as? HTTPURLResponse, !(200...299).contains(response.statusCode) {
            throw UnexpectedStatus(statusCode: response.statusCode, url: url)
        }
        return data.count
    }

    /// The same as a string: `417 bytes`.
    public func summary(of url: URL) async throws -> String {
        let count = try await byteCount(of: url)
        return count == 1 ? "1 byte" : "\(count) bytes"
    }
}

/// A server answered, and not with a success.
public struct UnexpectedStatus: LocalizedError, Equatable {
    /// The status code of the response.
    public var statusCode: Int
    /// The URL of the request.
    public var url: URL

    /// Creates an error for the response from a URL.
    public init(statusCode: Int, url: URL) {
        self.statusCode = statusCode
        self.url = url
    }

    /// The text that is shown to the user.
    public var errorDescription: String? { "\(url.absoluteString) answered with status \(statusCode)." }
}
