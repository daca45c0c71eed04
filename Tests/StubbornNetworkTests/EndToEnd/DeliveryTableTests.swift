import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// Code under test cannot tell playback from the server, whatever kind of task it uses.
///
/// Each row is run live against a server, with recording on, and then, the server stopped, in playback; what the client
/// saw is compared. The rows are in `DeliveryRows`.
@Suite(.timeLimit(.minutes(5)))
struct DeliveryTableTests {
    private func compare(_ row: ClientCase) async throws {
        let server = try LoopbackServer()
        try await LiveAndPlayed().compare(row, at: server)
    }

    @Test(arguments: DeliveryRows.styles)
    func `every kind of task is played back as it was live`(row: ClientCase) async throws {
        try await compare(row)
    }

    @Test(arguments: DeliveryRows.responses)
    func `every response is played back as it was live`(row: ClientCase) async throws {
        try await compare(row)
    }

    @Test(arguments: DeliveryRows.largeBodies)
    func `a large body is played back whole`(row: ClientCase) async throws {
        try await compare(row)
    }

    @Test(arguments: DeliveryRows.redirects)
    func `every redirect is played back as it was live`(row: ClientCase) async throws {
        try await compare(row)
    }

    @Test(arguments: DeliveryRows.failures)
    func `every failure is played back as it was live`(row: ClientCase) async throws {
        try await compare(row)
    }

    @Test(arguments: DeliveryRows.authentication)
    func `every authentication is played back as it was live`(row: ClientCase) async throws {
        try await compare(row)
    }

    @Test(arguments: DeliveryRows.comparedWithBareSessions)
    func `recording does not change what the client receives`(row: ClientCase) async throws {
        let server = try LoopbackServer()
        let run = LiveAndPlayed()
        let bare = try await run.bare(row, at: server)
        let recorded = try await run.record(row, at: server)
        // A custom protocol's failure reaches the client, but not the task's own properties.
        let differences = bare.differences(to: recorded).filter { bare["error"] == nil || !$0.hasPrefix("task.") }
        #expect(differences == [])
    }
}
