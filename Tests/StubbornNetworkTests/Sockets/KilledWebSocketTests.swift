import Foundation
import LoopbackServer
@_spi(Tools) import StubbornNetworkTooling
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// Processes that record a web socket, and are killed.
@Suite(.timeLimit(.minutes(10)))
struct KilledWebSocketTests {
    private let directory = TemporaryDirectory()

    @Test(arguments: [1, 2, 13, 89, 610, 4181])
    func `each frame that a killed process has seen is played`(count: Int) async throws {
        let child = try ChildProcess(
            100_000,
            atATime: 1,
            of: URL(string: "wss://api.test/live")!,
            environment: ["FRAMES": "1", "STUB_NAME": "killed", "STUB_RECORD_MODE": "recording"],
            directory: directory
        )
        let before = child.answered(count)
        child.kill()
        let seen = before + child.answered()
        _ = child.waitForStatus()
        #expect(seen.count >= count && seen == Array(1...seen.count))
        let network = StubbornNetwork(.persistent(named: "killed", in: directory.path), environment: .newRun)
        let socket = network.webSocket(to: URL(string: "wss://api.test/live")!)
        for number in seen { #expect(try await socket.text() == "\(number)") }
        #expect(
            try StubFile(contentsOf: directory.file("killed.json")).stubs.map(\.response.webSocketFrames?.isEmpty) == [
                false
            ]
        )
    }
}
