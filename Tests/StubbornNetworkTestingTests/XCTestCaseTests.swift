import StubbornNetwork
import StubbornNetworkTesting
import XCTest

final class XCTestCaseTests: XCTestCase {
    func testGreeting() async throws {
        let network = stubbedNetwork()
        let (data, _) = try await network.session.data(from: URL(string: "https://api.example.com/greeting")!)
        XCTAssertEqual(String(decoding: data, as: UTF8.self), "from Stubs/XCTestCaseTests_testGreeting.json")
    }
}
