import Foundation
import StubbornNetworkTesting
import Testing

struct ClocksArticle {
    /// The code under test.
    private struct Agenda {
        let session: URLSession
        let now: @Sendable () -> Date
    }

    @Test func `a clock says the time of the recording`() throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        let now = network.recordingDate ?? Date()
        let agenda = Agenda(session: network.session, now: { now })

        #expect(agenda.now() == now)
    }

    private struct Shop {
        let network: StubbornNetwork

        func order(_ id: UUID) async throws {
            let url = try #require(URL(string: "https://api.example.com/orders/\(id)"))
            _ = try await network.session.data(from: url)
        }
    }

    @Test func `an id that a test makes has a name`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.recordMode = .recording
        network.stub(.path("/orders/:id"), with: .status(201))
        let shop = Shop(network: network)
        let id = network.value("order") { UUID() }
        try await shop.order(id)

        #expect(network.exchanges.map(\.request.url.lastPathComponent) == [id.uuidString])
    }

    @Test func `the time of a recording is one line`() {
        let network = StubbornNetwork(.ephemeral, environment: [:])

        let now = network.recordingDate ?? Date()

        #expect(now <= Date())
    }
}
