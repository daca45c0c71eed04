import Foundation
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

private let stubs = Document.folder.appendingPathComponent("Stubs").path

struct FaultsArticle {
    @Test func `responses can be delayed, throttled, chunked, cut off or never sent`() async throws {
        let film = Data(count: 4_000)
        let network = StubbornNetwork(.ephemeral)
        network.stub(.path("/slow"), with: .json(["id": 42]).delayed(by: .milliseconds(300)))
        network.stub(.path("/film"), with: .data(film).throttled(to: .threeG))
        network.stub(.path("/events"), with: .text("one\ntwo\n").chunked(byteCount: 4, every: .milliseconds(20)))
        network.stub(.path("/cut"), with: .data(film).dropped(afterByteCount: 1_000))
        network.stub(.path("/dead"), with: .neverAnswering)

        let events = try await network.session.data(from: URL(string: "https://api.example.com/events")!).0
        #expect(String(decoding: events, as: UTF8.self) == "one\ntwo\n")
        let error = await #expect(throws: URLError.self) {
            try await network.session.data(from: URL(string: "https://api.example.com/cut")!)
        }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test func `a list of responses answers the retries in turn`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.get("/users/42"), with: [.status(503), .connectionLost, .json(["name": "Ada"])])

        let client = UserClient(session: network.session)
        await #expect(throws: DecodingError.self) { try await client.name(of: 42) }
        await #expect(throws: URLError.self) { try await client.name(of: 42) }
        #expect(try await client.name(of: 42) == "Ada")
    }

    @MainActor private final class NewsModel {
        let session: URLSession
        private(set) var isLoading = false

        init(session: URLSession) { self.session = session }

        func load() async throws {
            isLoading = true
            defer { isLoading = false }
            _ = try await session.data(from: URL(string: "https://api.example.com/news")!)
        }
    }

    @MainActor @Test func `an answer is held while the model loads`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.path("/news"), with: .json(["Networks are stubborn"]))
        let model = NewsModel(session: network.session)
        let held = network.hold(.path("/news"))
        let task = Task { try await model.load() }
        #expect(await held.requested())
        #expect(model.isLoading)
        held.release()
        try await task.value
        #expect(!model.isLoading)
    }
}

struct UserFaults {
    static let recording = StubbornNetwork(.persistent(named: "UserTests_name", in: stubs))

    @Test(.stubbed(named: "UserTests_name"), arguments: try recording.faults(for: .path("/users/42")))
    func `a fault is an error or a name, and nothing else`(fault: StubFault) async throws {
        StubbornNetwork.current.stub(fault)
        let name = try? await UserClient(session: StubbornNetwork.current.session).name(of: 42)
        #expect(name == nil || name == "Ada")
    }
}
