import Foundation
import Testing

@testable import StubbornNetwork

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Who asked, for an error of `response(to:)`.
struct CallerTests {
    private let network = StubbornNetwork(.ephemeral, environment: [:])

    init() { network.onUnstubbedRequest = { _ in } }

    private func error(for url: String) throws -> StubbornNetworkError? {
        let request = URLRequest(url: try URL.parsed(url))
        return #expect(throws: StubbornNetworkError.self) {
            try network.response(to: request, file: "App/UserList.swift", line: 12)
        }
    }

    @Test(arguments: ["https://api.test/users", "ftp://api.test/users"])
    func `an error of a synchronous call names the place of the call`(url: String) throws {
        let error = try error(for: url)
        #expect(error?.message.hasSuffix("\nCalled at App/UserList.swift:12.") == true)
    }

    @Test func `the report on the request stands before the caller`() throws {
        let error = try error(for: "https://api.test/users")
        #expect(error?.message == "\(error?.report?.description ?? "")\nCalled at App/UserList.swift:12.")
    }

    @Test func `the caller is the line that calls`() {
        let request = StubRequest.get("https://api.test/users").urlRequest
        let line: UInt = #line + 1
        let result = Result { try network.response(to: request) }
        let error = #expect(throws: StubbornNetworkError.self) { try result.get() }
        #expect(error?.message.hasSuffix("\nCalled at StubbornNetworkTests/CallerTests.swift:\(line).") == true)
    }

    @Test func `a stub's own error does not change, and a session's error has no caller`() async {
        network.stub(.path("/late"), with: .failure(URLError(.timedOut)))
        #expect(throws: URLError.self) {
            try network.response(to: StubRequest.get("https://api.test/late").urlRequest)
        }
        let error = await #expect(throws: StubbornNetworkError.self) {
            try await network.session.data(from: URL(string: "https://api.test/users")!)
        }
        #expect(error?.report != nil)
        #expect(error?.message == error?.report?.description)
    }
}
