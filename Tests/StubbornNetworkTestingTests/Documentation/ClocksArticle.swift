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

    @Test func `the time of a recording is one line`() {
        let network = StubbornNetwork(.ephemeral, environment: [:])

        let now = network.recordingDate ?? Date()

        #expect(now <= Date())
    }
}
