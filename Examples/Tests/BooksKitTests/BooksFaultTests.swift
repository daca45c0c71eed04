// Every way in which the recorded catalogue can go wrong, as a case each: the client must end with books or with an error.

import BooksKit
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.disabled(if: ProcessInfo.processInfo.environment["STUB_RECORD_MODE"] != nil), .timeLimit(.minutes(5)))
struct BooksFaultTests {
    private static let recording = StubbornNetwork(
        .persistent(
            name: "BooksClientTests_catalogue",
            path: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Stubs").path
        )!
    )

    @Test(.stubbed(named: "BooksClientTests_catalogue"), arguments: try recording.faults())
    func `the client reports each fault or still returns the books`(fault: StubFault) async throws {
        StubbornNetwork.current.stub(fault)
        let client = BooksClient(
            session: StubbornNetwork.current.session,
            server: URL(string: "http://127.0.0.1:8417")!
        )
        switch fault.kind {
        case .timeout, .connectionLost: await #expect(throws: URLError.self) { try await client.books() }
        case .serverError: await #expect(throws: BooksError(statusCode: 500)) { try await client.books() }
        case .unauthorized: await #expect(throws: BooksError(statusCode: 401)) { try await client.books() }
        case .tooManyRequests: await #expect(throws: BooksError(statusCode: 429)) { try await client.books() }
        case .truncatedBody: await #expect(throws: DecodingError.self) { try await client.books() }
        case .wrongContentType, .slowBody: #expect(try await client.books().count == 3)
        }
    }

    @Test(.stubbed { $0.stub(.get("/books"), with: .json([1, 2, 3]).dropped(afterByteCount: 4)) })
    func `a connection that breaks is an error, not a shorter list`() async throws {
        let client = BooksClient(session: StubbornNetwork.current.session)
        let error = await #expect(throws: URLError.self) { try await client.books() }
        #expect(error?.code == .networkConnectionLost)
    }
}
