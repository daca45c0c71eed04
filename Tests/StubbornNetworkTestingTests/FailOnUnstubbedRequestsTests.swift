import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetworkTesting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// In a process of its own, because all tests next to this one would be forbidden the same: Swift Testing starts one from
// version 6.2 on, and not on a device.
#if compiler(>=6.2) && (os(macOS) || os(Linux))
    struct FailOnUnstubbedRequestsTests {
        /// Fails the test process for each request that nothing stubs.
        ///
        /// This method runs in a child process.
        static func askWithAndWithoutStubs() async throws {
            let server = try LoopbackServer { _ in .text("real") }
            let shared = UserList(session: .shared, server: server)
            #expect(await shared.text("/before") == "real")

            StubbornNetwork.failOnUnstubbedRequests()
            StubbornNetwork.failOnUnstubbedRequests()
            #expect(await shared.text("/nobody") == nil)
            // The failure of the test has the advice; the error that a test may throw does not repeat it.
            #expect(
                await shared.error("/nobody")?.withoutPort == """
                    No stub answers GET http://server/nobody of URLSession.shared: no network intercepts it here. The network \
                    was not touched. See the other failure for the full report.
                    """
            )

            let network = StubbornNetwork(.ephemeral, environment: [:])
            network.stub(.path("/stubbed"), with: .text("stub"))
            let intercepted = await network.interceptingSharedSession { await shared.text("/stubbed") }
            #expect(intercepted == "stub")
            #expect(await UserList(session: network.session, server: server).text("/stubbed") == "stub")
            #expect(await UserList(session: network.session, server: server).text("/library") == nil)
            let error = await UserList(session: network.session, server: server).error("/library")?.withoutPort
            #expect(error?.hasPrefix("No stub answers GET http://server/library (playback, 1 stub") == true)
            #expect(error?.hasSuffix("was not touched. See the other failure for the full report.") == true)

            let listener = StubbornNetwork(.ephemeral, environment: [:])
            listener.onUnstubbedRequest = { _ in }
            #expect(await UserList(session: listener.session, server: server).text("/listener") == nil)
            #expect(server.requests.count == 1)

            // A test reports its own, until it has ended.
            let test = try TestNetwork([], for: TestName(ofXCTest: "-[A a]"), in: #filePath, target: .trait)
            let ofTest = UserList(session: test.network.session, server: server)
            #expect(await ofTest.text("/early") == nil)
            #expect(await test.end(isComplete: true).count == 1)
            #expect(await ofTest.text("/late") == nil)

            StubbornNetwork.watchUnstubbedRequests(nil)
            #expect(await shared.text("/after") == "real")
        }

        /// Stands for the code under test.
        struct UserList {
            let session: URLSession
            let server: LoopbackServer

            func text(_ path: String) async -> String? {
                await withCheckedContinuation { continuation in
                    load(path) { continuation.resume(returning: $0) }
                }
            }

            func error(_ path: String) async -> String? {
                do {
                    _ = try await session.data(from: server.url(path))
                    return nil
                } catch {
                    return StubbornNetworkError(error)?.message
                }
            }

            func load(_ path: String, completion: @escaping @Sendable (String?) -> Void) {
                session.dataTask(with: server.url(path)) { data, _, error in
                    completion(error == nil ? data.map { String(decoding: $0, as: UTF8.self) } : nil)
                }.resume()
            }
        }

        @Test func `an unstubbed request fails the run and reaches no server`() async throws {
            let failures = Lock<[String]>([])
            await withKnownIssue {
                await #expect(processExitsWith: .success) {
                    try await FailOnUnstubbedRequestsTests.askWithAndWithoutStubs()
                }
            } matching: { issue in
                failures.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
                return true
            }
            let texts = failures.withLock { $0 }.map(\.withoutPort)
            try #require(texts.count == 3, "\(texts)")
            #expect(
                texts[0] == """
                    No stub answers GET http://server/nobody of URLSession.shared: no network intercepts it here. The network \
                    was not touched.
                    To stub it in a test:  @Test(.stubbed(sharedSession: true))
                    To stub it in an XCTest:  stubbedNetwork(sharedSession: true)
                    To stub it anywhere:  let interception = network.interceptSharedSession()
                    """
            )
            #expect(texts[1].hasPrefix("No stub answers GET http://server/library (playback, 1 stub"), "\(texts[1])")
            #expect(texts[2].hasPrefix("No stub answers GET http://server/late "), "\(texts[2])")
        }
    }

    extension String {
        fileprivate var withoutPort: String {
            replacingOccurrences(of: "127.0.0.1:[0-9]+", with: "server", options: .regularExpression)
        }
    }
#endif
