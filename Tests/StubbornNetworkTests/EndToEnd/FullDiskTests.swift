import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// A disk that is full while one exchange is recorded, and has room again for the next.
@Suite(.timeLimit(.minutes(5)))
struct FullDiskTests {
    let directory = TemporaryDirectory()
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            // Another answer each time, so that each has to be written.
            let byteCount = request.path.split(separator: "/").last.flatMap { Int($0) } ?? 0
            return .text(UUID().uuidString + String(repeating: ".", count: byteCount))
        }
    }

    /// Starts a process that sends `count` requests; the disk is full during request number `full`.
    private func child(_ count: Int, byteCount: Int, mode: RecordMode, full: Int? = nil) throws -> ChildProcess {
        var environment = ["STUB_NAME": "full", "STUB_RECORD_MODE": mode.rawValue]
        environment["FULL_DISK_AT"] = full.map(String.init)
        return try ChildProcess(
            count,
            atATime: 1,
            of: server.url("/bytes/\(byteCount)?"),
            environment: environment,
            directory: directory
        )
    }

    /// The numbers of the requests that the file holds, in their order.
    private func numbersInFile() throws -> [Int] {
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("full.json")))
        return try #require(content as? [[String: Any]]).compactMap { stub in
            ((stub["request"] as? [String: Any])?["url"] as? String)?.split(separator: "?").last.flatMap { Int($0) }
        }
    }

    @Test func `recordings made after the disk was full survive a killed process`() async throws {
        // Soon more than is folded at once, so that only the journal contains the last ones.
        let child = try child(400, byteCount: 5_000, mode: .recording, full: 40)
        let ended = child.answered(60)
        child.kill()
        let answered = Set(ended + child.answered())
        _ = try child.wait()
        #expect(answered.isSuperset(of: Array(1..<40) + Array(41...59)))
        #expect(!answered.contains(40))

        let playback = StubbornNetwork(.persistent(name: "full", path: directory.path)!, environment: .newRun)
        try playback.loadStubs()
        #expect(try Set(numbersInFile()).isSuperset(of: answered))
        #expect(directory.contents.filter { $0.hasSuffix(".json") || $0.contains("journal") } == ["full.json"])
    }

    @Test(arguments: [10, 100_000])
    func `a run that could not store one exchange removes no old stub at its end`(byteCount: Int) throws {
        let first = try child(3, byteCount: byteCount, mode: .recording)
        #expect(first.answered() == [1, 2, 3])
        #expect(try first.wait().status == 0)
        let second = try child(3, byteCount: byteCount, mode: .recording, full: 2)
        #expect(second.answered() == [1, 3])
        let (status, errors) = try second.wait()
        #expect(status == 0)
        #expect(errors.contains("full.json"), "\(errors)")
        #expect(try numbersInFile() == [1, 2, 3])
    }
}
