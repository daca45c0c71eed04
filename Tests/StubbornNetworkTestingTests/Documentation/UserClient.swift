import Foundation
import StubbornNetwork

/// The code under test of the documentation: a client that takes a session.
struct UserClient: Sendable {
    let session: URLSession
    var server = URL(string: "https://api.example.com")!

    func name(of id: Int) async throws -> String {
        struct User: Decodable { var name: String }
        let url = server.appendingPathComponent("users/\(id)")
        return try JSONDecoder().decode(User.self, from: try await session.data(from: url).0).name
    }
}
