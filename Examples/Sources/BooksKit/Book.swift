// The requests to the library's server, and its answers.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A book of the library.
public struct Book: Codable, Sendable, Equatable {
    /// The number of the book.
    public var id: Int
    /// The title of the book.
    public var title: String

    /// Creates a book.
    public init(id: Int, title: String) {
        self.id = id
        self.title = title
    }
}

/// A page of the catalog.
public struct BookPage: Codable, Sendable, Equatable {
    /// The books on the page.
    public var books: [Book]
    /// The number of the next page; `nil` on the last one.
    public var next: Int?

    /// Creates a page.
    public init(books: [Book], next: Int? = nil) {
        self.books = books
        self.next = next
    }
}

/// A resource of the library's server.
public enum BooksEndpoint: Sendable, Hashable {
    case login, newBook, arrivals
    case books(page: Int)
    case cover(of: Int)

    /// Returns a GET request for the resource.
    public func request(to server: URL = BooksClient.server) -> URLRequest {
        switch self {
        case .login: URLRequest(url: server.appendingPathComponent("login"))
        case .newBook: URLRequest(url: server.appendingPathComponent("books"))
        case .arrivals: URLRequest(url: server.appendingPathComponent("arrivals"))
        case .books(let page):
            URLRequest(
                url: server.appendingPathComponent("books")
                    .appending(queryItems: [URLQueryItem(name: "page", value: "\(page)")])
            )
        case .cover(let id): URLRequest(url: server.appendingPathComponent("books/\(id)/cover.png"))
        }
    }
}

/// A response whose status is not a success.
public struct BooksError: Error, Equatable {
    /// The status code of the response.
    public var statusCode: Int

    /// Creates an error for a status code.
    public init(statusCode: Int) {
        self.statusCode = statusCode
    }

    static func check(_ response: URLResponse) throws {
        guard let status = (response as? HTTPURLResponse)?.statusCode, !(200...299).contains(status) else { return }
        throw BooksError(statusCode: status)
    }
}
