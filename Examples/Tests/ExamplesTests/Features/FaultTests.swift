// Every way in which the recorded answer can go wrong, as a case each: the client must end with books or with an error.

import BooksKit
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)))
struct FaultTests {
    private static let recording = StubbornNetwork(
        .persistent(name: "RecordedTests_catalogue", path: URL(fileURLWithPath: #filePath).stubsBeside)!
    )

    @Test(.stubbed(named: "RecordedTests_catalogue"), arguments: try recording.faults())
    func `the client reports each fault or still returns the books`(fault: StubFault) async throws {
        StubbornNetwork.current.stub(fault)
        let client = BooksClient(session: StubbornNetwork.current.session)
        switch fault.kind {
        case .timeout, .connectionLost: await #expect(throws: URLError.self) { try await client.books() }
        case .serverError: await #expect(throws: BooksError(statusCode: 500)) { try await client.books() }
        case .unauthorized: await #expect(throws: BooksError(statusCode: 401)) { try await client.books() }
        case .tooManyRequests: await #expect(throws: BooksError(statusCode: 429)) { try await client.books() }
        case .truncatedBody: await #expect(throws: DecodingError.self) { try await client.books() }
        case .wrongContentType, .slowBody: #expect(try await client.books().count == 2)
        }
    }

    @Test(.stubbed { $0.stub(.get("/books"), with: .json([1, 2, 3]).dropped(afterByteCount: 4)) })
    func `a connection that breaks is an error, not a shorter list`() async throws {
        let client = BooksClient(session: StubbornNetwork.current.session)
        let error = await #expect(throws: URLError.self) { try await client.books() }
        #expect(error?.code == .networkConnectionLost)
    }
}

extension URL {
    /// The stub directory beside a source file.
    fileprivate var stubsBeside: String { deletingLastPathComponent().appendingPathComponent("Stubs").path }
}
