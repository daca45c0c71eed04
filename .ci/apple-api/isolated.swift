// The tests of a project of Xcode 26, whose code is isolated to the main actor by default: the compiler must accept them.
import StubbornNetworkTesting
import Testing
import XCTest

nonisolated struct User: Codable {
    var id = 42
}

extension Redaction {
    nonisolated static let app = Redaction.standard.including(headers: ["X-Session"])
}

extension Trait where Self == StubbedTrait {
    static var app: Self { .stubbed(matching: .strict) { $0.redaction = .app } }
}

@Suite(.app) struct UserTests {
    @Test(.stubbed) func user() async throws {
        let network = StubbornNetwork.current
        network.stub(.get("/users/42"), with: .json(User()))
        network.stub(.get("/users/:id")) { _ in .json(User()) }
        network.onUnstubbedRequest = { _ in }
        assertRequests(of: network)
    }
}

nonisolated final class LoginTests: XCTestCase {
    func testLogin() {
        let network = stubbedNetwork { $0.redaction = .app }
        network.stub(.get("/users/42"), with: .json(User()))
        assertRequests(of: network)
    }
}
