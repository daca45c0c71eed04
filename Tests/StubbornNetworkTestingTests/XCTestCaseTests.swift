import Foundation
import StubbornNetworkTesting
import XCTest

@testable import StubbornNetwork

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

final class XCTestCaseTests: XCTestCase {
    func testGreeting() async throws {
        let network = stubbedNetwork()
        let (data, _) = try await network.session.data(from: URL(string: "https://api.example.com/greeting")!)
        XCTAssertEqual(String(decoding: data, as: UTF8.self), "from Stubs/XCTestCaseTests_testGreeting.json")
    }

    func testSettings() throws {
        let line = #line + 1
        let network = stubbedNetwork(
            named: "XCTestCaseTests_testGreeting",
            matching: [.url],
            order: .sequence,
            redaction: Redaction.none,
            bodyEncoding: .readable,
            failsOn: []
        ) {
            $0.stub(.path("/declared"), with: .status(204))
        }
        XCTAssertEqual(network.stubFile?.lastPathComponent, "XCTestCaseTests_testGreeting.json")
        XCTAssertTrue(network.redaction.isNothing)
        XCTAssertEqual(network.bodyEncoding, .readable)
        XCTAssertEqual(network.unusedDeclaredStubs.map(\.pattern), ["path /declared"])
        let request = URLRequest(url: try XCTUnwrap(URL(string: "https://api.example.com/nothing")))
        XCTAssertThrowsError(try network.response(to: request)) { error in
            let rules = network.engine.settings.current.rules
            XCTAssertEqual(rules.$matchers.origin, "set by stubbedNetwork(matching:) at XCTestCaseTests.swift:\(line)")
            XCTAssertEqual(rules.$order.origin, "set by stubbedNetwork(order:) at XCTestCaseTests.swift:\(line)")
            XCTAssertEqual((error as? StubbornNetworkError)?.report?.description.contains("Mode"), false)
        }
    }

    func testSharedFile() async throws {
        let network = stubbedNetwork(sharing: ["XCTestCaseTests_testGreeting"])
        let (data, _) = try await network.session.data(from: URL(string: "https://api.example.com/greeting")!)
        XCTAssertEqual(String(decoding: data, as: UTF8.self), "from Stubs/XCTestCaseTests_testGreeting.json")
        XCTAssertEqual(network.stubFile?.lastPathComponent, "XCTestCaseTests_testSharedFile.json")
    }

    func testSharedSession() async throws {
        stubbedNetwork(sharedSession: true) { $0.stub(.any, with: .text("mine")) }
        let (data, _) = try await URLSession.shared.data(from: URL(string: "https://api.example.com/greeting")!)
        XCTAssertEqual(String(decoding: data, as: UTF8.self), "mine")
    }
}
