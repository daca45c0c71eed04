import StubbornNetworkTesting
import Testing

struct TodoClient {
    let session: URLSession

    func title(of id: Int) async throws -> String {
        struct Todo: Decodable { var title: String }
        let url = URL(string: "https://jsonplaceholder.typicode.com/todos/\(id)")!
        return try JSONDecoder().decode(Todo.self, from: try await session.data(from: url).0).title
    }
}

struct TodoTests {
    @Test(.stubbed) func title() async throws {
        let client = TodoClient(session: StubbornNetwork.current.session)
        #expect(try await client.title(of: 1) == "delectus aut autem")
    }
}
