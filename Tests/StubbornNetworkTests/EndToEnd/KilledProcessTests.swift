import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Processes that record, and are killed, or record into one file together.
@Suite(.timeLimit(.minutes(5)))
struct KilledProcessTests {
    let directory = TemporaryDirectory()
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func child(
        _ count: Int,
        atATime width: Int = 1,
        path: String = "/bytes/",
        mode: RecordMode,
        run: String? = nil,
        stays: Bool = false
    ) throws -> ChildProcess {
        var environment = ["STUB_NAME": "killed", "STUB_RECORD_MODE": mode.rawValue]
        environment["STUB_RUN"] = run
        if stays { environment["STAYS"] = "1" }
        return try ChildProcess(
            count,
            atATime: width,
            of: server.url(path),
            environment: environment,
            directory: directory
        )
    }

    private func playback() throws -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "killed", path: directory.path)!, environment: .newRun)
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

    private func urlsInFile() throws -> [String] {
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("killed.json")))
        return try #require(content as? [[String: Any]]).compactMap {
            ($0["request"] as? [String: Any])?["url"] as? String
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
        // One more if it was killed while it folded.
        #expect(!journals().isEmpty)
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

    @Test func `four processes of one run that record into one file lose no stub`() throws {
        // As four runs, one that begins when another has ended would replace what that one has recorded.
        let children = try (1...4).map { number in
            try child(50, atATime: 8, path: "/bytes/\(number)?", mode: .recording, run: "four")
        }
        for child in children { #expect(child.answered().count == 50) }
        for child in children { #expect(try child.wait().errors == "") }
        // Another run completes the file.
        _ = try playback()
        let urls = try urlsInFile()
        #expect(urls.count == 200)
        #expect(Set(urls).count == 200)
        #expect(journals().isEmpty)
    }

    @Test(arguments: [1, 2])
    func `idle processes that are killed keep their stubs when others have ended`(count: Int) async throws {
        let idle = try (1...count).map { number in
            try child(3, path: "/bytes/1\(number)?", mode: .recording, stays: true)
        }
        for child in idle { #expect(child.answered(3) == [1, 2, 3]) }
        let others = try (1...count).map { number in try child(3, path: "/bytes/2\(number)?", mode: .recording) }
        for child in others { #expect(child.answered() == [1, 2, 3]) }
        for child in others { #expect(try child.wait().errors == "") }
        for child in idle {
            child.kill()
            _ = try child.wait()
        }
        for _ in 0..<2 {
            #expect(try playback().unusedStubs.count == 6 * count)
            #expect(try urlsInFile().count == 6 * count)
            #expect(Set(try urlsInFile()).count == 6 * count)
            #expect(journals().isEmpty)
        }
    }

    @Test func `on a file system without locks a journal is taken over when its process is dead`() throws {
        let killed = try child(3, mode: .recordingMissing, stays: true)
        #expect(killed.answered(3) == [1, 2, 3])
        let scene = RecordingScene(directory, name: "killed.json")
        scene.fail { operation, _ in operation == .lock ? SystemError(EBADF) : nil }
        #expect(try StubFileGeneration.open(scene.store).entries.count == 3)
        #expect(!journals().isEmpty)
        killed.kill()
        _ = try killed.wait()
        for _ in 0..<2 { #expect(try StubFileGeneration.open(scene.store).entries.count == 3) }
        #expect(try numbersInFile() == [1, 2, 3])
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
        #expect(errors.contains("killed.json now contains "), "\(errors)")
        #expect(
            errors.contains("a process that was killed while it recorded had left them in a journal next to the file."),
            "\(errors)"
        )
        #expect(errors.contains("To keep such files out of git, add .*.journal to .gitignore."), "\(errors)")
    }

    @Test func `a process that ends leaves no journal next to the stub file`() throws {
        let child = try child(60, atATime: 4, path: "/bytes/5000?", mode: .recording)
        #expect(child.answered().count == 60)
        #expect(try child.wait().status == 0)
        #expect(journals().isEmpty)
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("killed.json")))
        #expect((content as? [Any])?.count == 60)
    }
}
