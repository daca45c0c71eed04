import StubbornNetworkTesting
import Testing

struct UserTests {
    @Test(.stubbed) func name() async throws {
        let client = UserClient(session: StubbornNetwork.current.session)
        #expect(try await client.name(of: 42) == "Ada")
    }
}
