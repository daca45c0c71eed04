// An ordinary network client of an app. It takes a URLSession, so it can be tested without a server. It does not import
// The Stubborn Network, and needs no change for it.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Finds the sizes of downloads.
public struct BytesClient: Sendable {
    private let session: URLSession

    /// Creates a client that sends its requests through a session.
    public init(session: URLSession) {
        self.session = session
    }

    /// Returns the number of bytes of a download.
    ///
    /// - Throws: `UnexpectedStatus` if the status is not 200 to 299, and the errors of the session.
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

/// The error for an answer that is not a success.
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
