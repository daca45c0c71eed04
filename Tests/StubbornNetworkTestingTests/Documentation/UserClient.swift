import Foundation
import StubbornNetwork

/// The code under test of the README: a client that takes a session.
struct UserClient {
    let session: URLSession

    func name(of id: Int) async throws -> String {
        struct User: Decodable { var name: String }
        let url = URL(string: "https://api.example.com/users/\(id)")!
        return try JSONDecoder().decode(User.self, from: try await session.data(from: url).0).name
    }
}
