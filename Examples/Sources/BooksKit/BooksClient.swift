// The client of a small library of books: what most apps have, a list, a form, a login. It does not know The Stubborn
// Network.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A book, as the server tells of it.
public struct Book: Codable, Sendable, Equatable {
    /// The number by which the server knows the book.
    public var id: Int
    /// The title of the book.
    public var title: String

    /// Creates a book.
    public init(id: Int, title: String) {
        self.id = id
        self.title = title
    }
}

/// What can be asked of the server.
public enum BooksEndpoint: Sendable, Hashable, CaseIterable {
    case books, loans

    /// Returns a GET request for the endpoint.
    public func request(to server: URL = BooksClient.server) -> URLRequest {
        URLRequest(url: server.appendingPathComponent(self == .books ? "books" : "loans"))
    }
}

/// The client of the library's server.
public struct BooksClient: Sendable {
    /// Where the books are, unless a client is told otherwise.
    public static let server = URL(string: "https://books.example.com")!

    private let session: URLSession
    private let server: URL

    /// Creates a client that sends its requests to a server through a session.
    public init(session: URLSession = .shared, server: URL = BooksClient.server) {
        self.session = session
        self.server = server
    }

    /// Returns the books that the library has.
    public func books() async throws -> [Book] {
        try await value(BooksEndpoint.books.request(to: server))
    }

    /// Adds a book to the library.
    public func add(title: String) async throws {
        _ = try await data(post(["title": title], to: "books"))
    }

    /// The titles that a reader has at home.
    public func loans(user: String, password: String) async throws -> [String] {
        struct Login: Decodable { var accessToken: String }
        let login: Login = try await value(post(["user": user, "password": password], to: "login"))
        var request = BooksEndpoint.loans.request(to: server)
        request.setValue("Bearer \(login.accessToken)", forHTTPHeaderField: "Authorization")
        return try await value(request)
    }

    private func post(_ fields: [String: String], to path: String) throws -> URLRequest {
        var request = URLRequest(url: server.appendingPathComponent(path))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(fields)
        return request
    }

    private func value<Value: Decodable>(_ request: URLRequest) async throws -> Value {
        try JSONDecoder().decode(Value.self, from: await data(request))
    }

    private func data(_ request: URLRequest) async throws -> Data {
        let (data, response) = try await session.data(for: request)
        if let status = (response as? HTTPURLResponse)?.statusCode, !(200...299).contains(status) {
            throw BooksError(statusCode: status)
        }
        return data
    }
}

/// The server said no.
public struct BooksError: Error, Equatable {
    /// The status code of the response.
    public var statusCode: Int

    /// Creates an error for a status code.
    public init(statusCode: Int) {
        self.statusCode = statusCode
    }
}
