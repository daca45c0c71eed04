import StubbornNetworkTesting
import XCTest

final class UserNameTests: XCTestCase {
    func testName() async throws {
        let client = UserClient(session: stubbedNetwork().session)
        let name = try await client.name(of: 42)
        XCTAssertEqual(name, "Ada")
    }
}
