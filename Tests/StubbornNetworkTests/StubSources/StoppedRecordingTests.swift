import Foundation
import Testing

@testable import StubbornNetwork

/// Runs that are stopped at each of their file operations, and in which each of them fails once.
@Suite(.timeLimit(.minutes(5)))
struct StoppedRecordingTests {
    enum Story: String, CaseIterable, Sendable {
        /// A run that replaces stubs, or adds to them, with a pause in the middle.
        case replacing, adding
        /// A run in whose middle a secret of its first stub is recognized.
        case redacting
        /// A run that begins with what a killed one has left.
        case takingOver
        /// A run next to one that is alive, idle, and is killed later.
        case besideIdle
        /// Nothing but reading what killed processes have left.
        case reading
    }

    /// The exchanges of a story that a client has seen the end of.
    private struct Told {
        var ended: [String] = []
        var error: StubbornNetworkError?
    }

    /// Prepares the directory of a story.
    ///
    /// - Returns: The run of another process, which is alive as long as it exists.
    private func prepare(_ story: Story, _ scene: RecordingScene) throws -> StubFileWriter? {
        if story != .reading { try scene.write("a:1 b:1 c:1") }
        switch story {
        case .replacing, .adding, .redacting: return nil
        case .besideIdle:
            let idle = try scene.writer()
            for (number, path) in ["x", "a"].enumerated() {
                try idle.add(RecordingScene.recording(path, 7, replaces: true, number: number))
                if number == 0 { idle.updateFileNow() }
            }
            return idle
        case .takingOver, .reading:
            let made = RecordingScene()
            if story == .takingOver { try made.write("a:1 b:1 c:1") }
            let killed = try made.writer()
            for (number, path) in ["x", "y"].enumerated() {
                try killed.add(RecordingScene.recording(path, 7, replaces: false, number: number))
                if number == 0 { killed.updateFileNow() }
            }
            try? FileManager.default.removeItem(at: scene.directory.url)
            // A copy has no lock.
            try FileManager.default.copyItem(at: made.directory.url, to: scene.directory.url)
            try killed.exit()
            return nil
        }
    }

    /// The exchanges that were there before the story.
    private func earlier(_ story: Story) -> [String] {
        switch story {
        case .replacing, .adding, .redacting: []
        case .takingOver, .reading: ["x:7", "y:7"]
        case .besideIdle: ["x:7"]
        }
    }

    private func run(_ story: Story, _ scene: RecordingScene) -> (Told, StubFileWriter?) {
        var told = Told()
        guard story != .reading else {
            do throws(StubbornNetworkError) { _ = try StubFileGeneration.open(scene.store) } catch {
                told.error = error
            }
            return (told, nil)
        }
        guard let writer = try? scene.writer() else { return (told, nil) }
        let redactor = Redactor(.standard, environment: [:])
        let secret = "f3c9a17b22e84d"
        for (number, path) in ["b", "d", "a", "b", "e"].enumerated() {
            var recording = RecordingScene.recording(
                path,
                100 + number,
                replaces: story != .adding && story != .takingOver,
                number: number,
                redactor: redactor
            )
            if story == .redacting, number == 0 || number == 3 {
                var request = recording.live
                if number == 3 { request.headerFields["Authorization"] = "Bearer \(secret)" }
                let response = StubResponse.status(100 + number, body: number == 0 ? "ticket \(secret)" : "")
                let stub = Stub(request: request, response: response)
                recording = Recording(stub, requestNumber: number, replaces: true, redactor: redactor)
            }
            if (try? writer.add(recording)) != nil { told.ended.append("\(path):\(100 + number)") }
            if number == 1 { writer.updateFileNow() }
        }
        do { try writer.exit() } catch { told.error = error as? StubbornNetworkError }
        return (told, writer)
    }

    /// Checks what is found of a story.
    private func check(_ found: [String], _ told: Told, _ story: Story, _ hint: String) {
        for exchange in told.ended + earlier(story) {
            // A later recording does not replace an earlier one, so that each is there.
            #expect(found.filter { $0 == exchange }.count == 1, "\(exchange) of \(found), \(hint)")
        }
        let paths = Dictionary(grouping: found) { $0.split(separator: ":")[0] }
        if story == .adding || story == .takingOver { return }
        // Nothing that was replaced is left: two recordings of /b.
        for (path, stubs) in paths {
            let count = path == "b" ? 2 : 1
            #expect(stubs.count <= count, "\(stubs), \(hint)")
        }
    }

    private func operationCount(_ story: Story) throws -> Int {
        let scene = RecordingScene()
        let idle = try prepare(story, scene)
        let count = scene.fail(from: .max)
        let (told, _) = run(story, scene)
        #expect(told.error == nil)
        #expect(told.ended.count == (story == .reading ? 0 : 5))
        scene.fail(nil)
        try idle?.exit()
        return count.withLock { $0 }
    }

    @Test(arguments: Story.allCases)
    func `a run that is stopped at any operation loses nothing, and nothing is there twice`(story: Story) async throws {
        let count = try operationCount(story)
        #expect(count > 20)
        for first in 0..<count {
            // Other tests wait for their turn.
            await Task.yield()
            let hint = "\(story), stopped at \(first) of \(count)"
            let scene = RecordingScene()
            let idle = try prepare(story, scene)
            _ = scene.fail(from: first)
            let (told, writer) = run(story, scene)
            scene.fail(nil)
            let found = try scene.foundAfterKill()
            check(found.first.split(separator: " ").map(String.init), told, story, hint)
            #expect(found.second == found.first, "\(hint)")
            #expect(found.names == ["a.json"], "\(hint)")
            try writer?.exit()
            try idle?.exit()
        }
    }

    @Test(arguments: Story.allCases, [EIO, ENOSPC, EINTR])
    func `a run in which any operation fails once loses nothing, or says so`(story: Story, number: CInt) async throws {
        let count = try operationCount(story)
        // In the whole suite each fifth operation; all of them where somebody looks for faults.
        let step = ProcessInfo.processInfo.environment["STUBBORN_NETWORK_MUTATIONS"] == nil ? 5 : 1
        for first in stride(from: Int(number) % step, to: count, by: step) {
            await Task.yield()
            let hint = "\(story), \(number) at \(first) of \(count)"
            let scene = RecordingScene()
            let idle = try prepare(story, scene)
            _ = scene.fail(from: first, count: 1, SystemError(number))
            let (told, writer) = run(story, scene)
            scene.fail(nil)
            if number == EINTR {
                #expect(told.error == nil, "\(hint)")
                #expect(told.ended.count == (story == .reading ? 0 : 5), "\(hint)")
            }
            let found = try scene.foundAfterKill()
            check(found.first.split(separator: " ").map(String.init), told, story, hint)
            #expect(found.second == found.first, "\(hint)")
            // What could not be written at the end can be written later.
            try? writer?.exit()
            try idle?.exit()
            if story == .reading { _ = try StubFileGeneration.open(scene.store) }
            check(try scene.inFile().split(separator: " ").map(String.init), told, story, hint)
        }
    }
}
