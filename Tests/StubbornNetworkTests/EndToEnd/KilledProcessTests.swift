import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// Processes that record, and are killed, or record into one file together.
@Suite(.timeLimit(.minutes(5)))
struct KilledProcessTests {
    let directory = TemporaryDirectory()
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func child(_ count: Int, atATime width: Int = 1, path: String = "/bytes/", mode: RecordMode) throws
        -> ChildProcess
    {
        try ChildProcess(
            count,
            atATime: width,
            of: server.url(path),
            environment: ["STUB_NAME": "killed", "STUB_RECORD_MODE": mode.rawValue],
            directory: directory
        )
    }

    private func playback() throws -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "killed", path: directory.path)!, environment: [:])
        network.onUnstubbedRequest = { _ in }
        try network.loadStubs()
        return network
    }

    /// The numbers of the requests that the file holds, by a parser that is not ours.
    private func numbersInFile() throws -> [Int] {
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("killed.json")))
        return try #require(content as? [[String: Any]]).compactMap { stub in
            ((stub["request"] as? [String: Any])?["url"] as? String)?.split(separator: "/").last.flatMap { Int($0) }
        }
    }

    private func journals() -> [String] { directory.contents.filter { $0.hasSuffix(".journal") } }

    @Test(arguments: [RecordMode.recording, .recordingMissing], [1, 8])
    func `exchanges that ended before a process was killed are played back`(mode: RecordMode, width: Int) async throws {
        // 5 KB each: soon more than is folded at once, so that the journal is what holds them.
        let child = try child(400, atATime: width, path: "/bytes/5000?", mode: mode)
        let ended = child.answered(60)
        child.kill()
        let answered = Set(ended + child.answered())
        _ = try child.wait()
        #expect(answered.count >= 60)
        #expect(journals().count == 1)
        let network = try playback()
        server.stop()
        for number in answered {
            let data = try await network.session.data(from: server.url("/bytes/5000?\(number)")).0
            #expect(data.count == 5000)
        }
        // From then on they are in the file, and nothing else is left.
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("killed.json")))
        #expect((content as? [Any])?.count ?? 0 >= answered.count)
        #expect(journals().isEmpty)
    }

    @Test func `a process that is killed again and again loses nothing`() async throws {
        var wanted: Set<Int> = []
        for round in 1...8 {
            let child = try child(100, atATime: 4, mode: .recordingMissing)
            wanted.formUnion(child.answered(round * 8))
            child.kill()
            wanted.formUnion(child.answered())
            _ = try child.wait()
        }
        _ = try playback()
        let numbers = try numbersInFile()
        #expect(Set(numbers).isSuperset(of: wanted))
        #expect(Set(numbers).count == numbers.count)
        #expect(journals().isEmpty)
    }

    @Test func `four processes that record into one file lose no stub`() throws {
        let children = try (1...4).map { number in
            try child(50, atATime: 8, path: "/bytes/\(number)?", mode: .recording)
        }
        for child in children { #expect(child.answered().count == 50) }
        for child in children { #expect(try child.wait().errors == "") }
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("killed.json")))
        let urls = try #require(content as? [[String: Any]]).compactMap {
            ($0["request"] as? [String: Any])?["url"] as? String
        }
        #expect(urls.count == 200)
        #expect(Set(urls).count == 200)
        #expect(journals().isEmpty)
    }

    @Test func `opening the file reports what was recovered from a killed recording`() throws {
        let killed = try child(100, path: "/bytes/5000?", mode: .recordingMissing)
        _ = killed.answered(40)
        killed.kill()
        _ = try killed.wait()
        let next = try child(1, path: "/bytes/5000?", mode: .playback)
        #expect(next.answered() == [1])
        let errors = try next.wait().errors
        #expect(errors.contains("killed.json now holds "), "\(errors)")
        #expect(errors.contains("a recording that was killed had left them in a journal beside the file."), "\(errors)")
    }

    @Test func `a process that ends leaves no journal beside the stub file`() throws {
        let child = try child(60, atATime: 4, path: "/bytes/5000?", mode: .recording)
        #expect(child.answered().count == 60)
        #expect(try child.wait().status == 0)
        #expect(journals().isEmpty)
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("killed.json")))
        #expect((content as? [Any])?.count == 60)
    }
}
