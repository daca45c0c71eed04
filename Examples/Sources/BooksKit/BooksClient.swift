// The client of a lending library, as an app would contain it: a login, a catalog in pages, new books, images, and
// books that are announced as they arrive. It uses the URLSession that it is given, and does not import
// StubbornNetwork.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The client of the library's server.
public struct BooksClient: Sendable {
    /// The server of the library.
    public static let server = URL(string: "https://books.example.com")!

    private let session: URLSession
    private let server: URL
    private var token: String?

    /// Creates a client that sends its requests to a server through a session.
    public init(session: URLSession = .shared, server: URL = BooksClient.server) {
        self.session = session
        self.server = server
    }

    /// Logs a reader in, and returns a client that sends the reader's token with each request.
    public func loggedIn(card: String, pin: String) async throws -> BooksClient {
        struct Login: Decodable { var accessToken: String }
        let login: Login = try await value(post(["card": card, "pin": pin], to: .login))
        var client = self
        client.token = login.accessToken
        return client
    }

    /// Returns all books of the library, which the server lists in pages.
    public func books() async throws -> [Book] {
        var books: [Book] = []
        var next: Int? = 1
        while let number = next {
            let page: BookPage = try await value(request(.books(page: number)))
            books += page.books
            next = page.next
        }
        return books
    }

    /// Adds a book, and returns it with its number.
    ///
    /// Only a reader who is logged in may do so.
    public func add(title: String) async throws -> Book {
        try await value(post(["title": title], to: .newBook))
    }

    /// Returns the cover of a book, a PNG image.
    public func cover(of book: Book) async throws -> Data {
        try await data(request(.cover(of: book.id)))
    }

    /// Returns new books as the server announces them, until the caller stops listening.
    public func arrivals() -> AsyncThrowingMapSequence<AsyncThrowingStream<Data, any Error>, Book> {
        EventStream.events(of: request(.arrivals), like: session).map { data in
            try JSONDecoder().decode(Book.self, from: data)
        }
    }

    private func request(_ endpoint: BooksEndpoint) -> URLRequest {
        var request = endpoint.request(to: server)
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return request
    }

    private func post(_ fields: [String: String], to endpoint: BooksEndpoint) throws -> URLRequest {
        var request = request(endpoint)
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
        try BooksError.check(response)
        return data
    }
}
