import Foundation
import Testing

@testable import StubbornNetwork

/// What is in a stub file when processes record into it together, one after the other, and while somebody edits it.
@Suite(.timeLimit(.minutes(5)))
struct StubFileGenerationTests {
    private let scene = RecordingScene()
    private var directory: TemporaryDirectory { scene.directory }

    /// The founder of a run, which lives until `end()`.
    private func founder() -> Run {
        let run = Run(name: directory.url.path + "-run-\(UUID().uuidString)", isFounder: true)
        run.begin()
        return run
    }

    private func launch(of run: Run) -> Run { Run(name: run.name, isFounder: false) }

    /// Records `a:200 b:404` in the order of the words; requests start one after the other.
    private func record(
        _ words: String,
        replaces: Bool = true,
        from first: Int = 0,
        byteCount: Int = 10,
        rules: MergeRules = MergeRules(),
        by writer: StubFileWriter
    ) throws {
        for (index, word) in words.split(separator: " ").enumerated() {
            let parts = word.split(separator: ":")
            var recording = RecordingScene.recording(
                String(parts[0]),
                Int(parts[1]) ?? 0,
                byteCount: byteCount,
                replaces: replaces,
                number: first + index
            )
            recording.started = writer.run.startTime()
            recording.rules = rules
            try writer.add(recording)
        }
    }

    private func opened(as run: Run? = nil) throws -> String {
        StubShorthand.text(try StubFileGeneration.open(scene.store, as: run).entries)
    }

    // MARK: Runs

    @Test(arguments: [true, false])
    func `launches of one run add to each other, also after somebody has read the file in between`(replaces: Bool)
        throws
    {
        try scene.write("a:1")
        let run = founder()
        for (words, found) in [("a:200 b:200", "a:200 b:200"), ("a:201 c:200", "a:200 b:200 a:201 c:200")] {
            let writer = try scene.writer(launch(of: run))
            try record(words, replaces: replaces, by: writer)
            try writer.exit()
            #expect(try opened() == (replaces ? found : "a:1 " + found))
        }
        run.note(scene.store.file)
        run.end()
        #expect(try scene.inFile() == (replaces ? "a:200 b:200 a:201 c:200" : "a:1 a:200 b:200 a:201 c:200"))
        #expect(directory.contents == ["a.json"])
    }

    @Test func `what a run has recorded is of the run for its next launch, and is not for another run`() throws {
        try scene.write("a:1")
        let run = founder()
        let writer = try scene.writer(launch(of: run))
        try record("b:200", replaces: false, by: writer)
        try writer.exit()
        #expect(try StubFileGeneration.open(scene.store, as: launch(of: run)).stubs.map(\.isOfRun) == [false, true])
        #expect(try StubFileGeneration.open(scene.store, as: founder()).stubs.map(\.isOfRun) == [false, false])
        run.end()
    }

    @Test func `a file that only this run has recorded did not exist for its next launch`() throws {
        let run = founder()
        let writer = try scene.writer(launch(of: run))
        try record("b:200", by: writer)
        try writer.exit()
        let opened = try StubFileGeneration.open(scene.store, as: launch(of: run))
        #expect(opened.existed)
        #expect(!opened.existedBeforeRun)
        #expect(try StubFileGeneration.open(scene.store, as: founder()).existedBeforeRun)
        run.end()
        #expect(try StubFileGeneration.open(scene.store, as: founder()).existedBeforeRun)
    }

    @Test
    func `a run that is over is replaced by the next one, request by request, and stale stubs go at its good end`()
        throws
    {
        for (words, found) in [("a:1 b:1 c:1", "a:1 b:1 c:1"), ("a:2 c:2 d:2", "a:2 c:2 d:2")] {
            let run = founder()
            for word in words.split(separator: " ") {
                let writer = try scene.writer(launch(of: run))
                try record(String(word), by: writer)
                try writer.exit()
            }
            run.note(scene.store.file)
            run.end()
            #expect(try scene.inFile() == found)
        }
    }

    @Test func `a launch that was killed keeps the stubs that the run did not ask for`() throws {
        try scene.write("a:1 b:1")
        let run = founder()
        let writer = try scene.writer(launch(of: run))
        try record("a:200", by: writer)
        run.note(scene.store.file)
        // A killed process has no lock any more; a copy of the directory has none either.
        let copy = try scene.killed()
        run.end()
        #expect(StubShorthand.text(try StubFileGeneration.open(copy.store).entries) == "a:200 b:1")
        try writer.exit()
    }

    @Test func `a file that is played in the place of another one leaves that and its journals alone`() throws {
        try scene.write("a:1")
        let writer = try scene.writer()
        try record("a:200", by: writer)
        let copy = try scene.killed()
        let names = copy.directory.contents
        let replacement = RecordingScene()
        try replacement.write("a:3")
        let opened = try StubFileGeneration.open(copy.store, playing: replacement.store.file.path)
        #expect(StubShorthand.text(opened.entries) == "a:3")
        #expect(names.count > 1)
        #expect(copy.directory.contents == names)
        #expect(try copy.inFile() == "a:1")
        try writer.exit()
    }

    @Test func `a stub file that is a relative symbolic link is recorded into, and becomes a file`() throws {
        try scene.write("a:1")
        let link = RecordingScene(directory, name: "link.json")
        try FileManager.default.createSymbolicLink(atPath: link.store.file.path, withDestinationPath: "a.json")
        let writer = try link.writer()
        try record("a:2 b:1", by: writer)
        try writer.exit()
        #expect(try link.inFile() == "a:2 b:1")
        #expect(try scene.inFile() == "a:1")
        #expect(directory.contents == ["a.json", "link.json"])
    }

    @Test func `reading what a process has recorded so far keeps the encoding that it records with`() throws {
        func stub(_ path: String, _ body: String) throws -> Stub {
            try .get("http://a/\(path)", .status(200, body: body))
        }
        let entries = try ["a", "b"].map { StubFileEntry(rendering: try stub($0, "old"), bodyEncoding: .base64) }
        try scene.store.write(StubFileDocument(entries: entries).data)
        let run = founder()
        let writer = try scene.writer(launch(of: run))
        var recording = Recording(try stub("b", "new"), requestNumber: 0, replaces: true)
        recording.rules = MergeRules(bodyEncoding: .readable, generation: 1)
        try writer.add(recording)
        StubFileGeneration.takeOverRecordings(into: scene.store.file)
        #expect(try scene.inFile() == "a:200 b:200")
        #expect(try !directory.text(of: "a.json").contains(#""data""#))
        try writer.exit()
        #expect(try !directory.text(of: "a.json").contains(#""data""#))
        run.end()
    }

    // MARK: Files that cannot be read

    /// What a process finds that may not read a file next to the stub file, at an operation on it.
    @Test(arguments: [EACCES, EPERM, ENOENT], [FileOperation.open, .status, .read, .lock])
    func `a journal that cannot be read is kept, and its generation, by readers and by other recordings`(
        number: CInt,
        operation: FileOperation
    ) throws {
        try scene.write("old:1")
        let killed = try scene.writer()
        try record("a:200 b:200", replaces: false, by: killed)
        let copy = try scene.killed()
        let names = copy.directory.contents
        copy.fail { found, path in
            found == operation && path.hasSuffix(".1.journal") ? SystemError(number) : nil
        }
        // The file is gone for whoever cannot find it.
        let isMissing = number == ENOENT && operation == .status
        for _ in 0..<2 where !isMissing {
            let opened = try StubFileGeneration.open(copy.store)
            #expect(StubShorthand.text(opened.entries) == "old:1")
            #expect(copy.directory.contents == names)
        }
        if !isMissing {
            let other = try copy.writer()
            try record("c:200", replaces: false, by: other)
            let error = #expect(throws: StubbornNetworkError.self) { try other.finish() }
            #expect(error?.message.contains("/.a.json.journal/") == true)
            #expect(try copy.inFile() == "old:1")
            copy.fail(nil)
            try other.exit()
        }
        copy.fail(nil)
        let found = StubShorthand.text(try StubFileGeneration.open(copy.store).entries)
        #expect(found == (isMissing ? "old:1 a:200 b:200" : "old:1 a:200 b:200 c:200"))
        #expect(copy.directory.contents == ["a.json"])
        try killed.exit()
    }

    @Test func `a directory of journals that may not be listed is kept, and the stub file plays`() throws {
        try scene.write("old:1")
        let killed = try scene.writer()
        try record("a:200", replaces: false, by: killed)
        let copy = try scene.killed()
        copy.fail { operation, _ in operation == .list ? SystemError(EACCES) : nil }
        #expect(StubShorthand.text(try StubFileGeneration.open(copy.store).entries) == "old:1")
        copy.fail(nil)
        #expect(StubShorthand.text(try StubFileGeneration.open(copy.store).entries) == "old:1 a:200")
        try killed.exit()
    }

    @Test(arguments: ["<<<<<<< HEAD", "[{", "\0\0", "{}"], ["a new file", "the same file", "no file"])
    func `a broken save in place is mended, or its file is deleted, and nothing is lost`(text: String, repair: String)
        throws
    {
        try scene.write("a:1 b:1")
        let old = try Data(contentsOf: scene.store.file)
        let writer = try scene.writer()
        try record("c:200", replaces: false, by: writer)
        // The base may be the same file under another name.
        try Data(text.utf8).write(to: scene.store.file, options: [])
        #expect(throws: StubbornNetworkError.self) { try writer.finish() }
        switch repair {
        case "a new file": try old.write(to: scene.store.file, options: .atomic)
        case "the same file": try old.write(to: scene.store.file, options: [])
        default: try FileManager.default.removeItem(at: scene.store.file)
        }
        let expected = repair == "no file" ? "c:200" : "a:1 b:1 c:200"
        #expect(try scene.foundAfterKill().first == expected)
        #expect(try opened() == expected)
        try writer.exit()
        #expect(try scene.inFile() == expected)
        #expect(directory.contents == ["a.json"])
    }

    @Test func `a mode that records once adds to what another process has recorded at the same time`() throws {
        let late = try scene.writer()
        let first = try scene.writer()
        try record("a:200 b:200", replaces: false, by: first)
        try first.exit()
        try record("a:201 c:200", replaces: false, by: late)
        try late.exit()
        #expect(try Set(scene.inFile().split(separator: " ")) == ["a:201", "b:200", "c:200"])
        #expect(RecordMode.recordingOnce.rules.recordedStubs != .count)
    }

    @Test func `a run file of a killed founder is removed after a day, or after a minute without launches`()
        throws
    {
        func make(_ name: String, _ content: String, age: Double) throws {
            try directory.write(content, to: name)
            let date = Date(timeIntervalSinceNow: -age)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: directory.file(name).path)
        }
        try make("stubborn-run-1-new", "", age: 5)
        try make("stubborn-run-2-gone", "", age: 90)
        try make("stubborn-run-3-launches", "launch\n", age: 90)
        try make("stubborn-run-4-gone", "launch\n", age: 90_000)
        try make("stubborn-run-5-alive", "", age: 90_000)
        try make("other", "", age: 90_000)
        let alive = try FileDescriptor.appending(directory.file("stubborn-run-5-alive").path)
        #expect(try alive.tryLock() == .taken)
        Run.sweep(directory.path)
        #expect(
            Set(directory.contents) == [
                "stubborn-run-1-new", "stubborn-run-3-launches", "stubborn-run-5-alive", "other",
            ]
        )
    }

    @Test func `a run that has named itself to a launch does not have an empty run file`() throws {
        let name = Run.nameForLaunch(recordingInto: directory.file("b.json"), inheriting: [:])
        #expect(try String(contentsOfFile: name, encoding: .utf8).hasPrefix("launch\n"))
    }

    @Test func `a name that differs only in case from one that is being recorded is an error with both names`()
        throws
    {
        let upper = RecordingScene(directory, name: "LOGIN.json")
        let lower = RecordingScene(directory, name: "login.json")
        let (first, other) = (try upper.writer(), try lower.writer())
        try record("a:1", by: first)
        let error = #expect(throws: StubbornNetworkError.self) { try record("b:1", by: other) }
        #expect(error?.code == .invalidSettings)
        #expect(error?.message.contains("login.json and LOGIN.json") == true)
        try first.exit()
        #expect(directory.contents == ["LOGIN.json"])
        // The file now has that name.
        let late = try lower.writer()
        #expect(throws: StubbornNetworkError.self) { try record("c:1", by: late) }
        #expect(try upper.inFile() == "a:1")
        for writer in [other, late] { #expect(throws: StubbornNetworkError.self) { try writer.finish() } }
    }

    /// Records one request in each of some tests, which record into one file one after the other.
    private func recordTests(_ words: [String], of run: Run) throws {
        for (number, word) in words.enumerated() {
            let writer = try scene.writer(run)
            try record(word, from: number, by: writer)
            try writer.finish(mayWriteLater: true)
        }
    }

    @Test func `forty tests that share a file write it a few times, and the exit writes the rest`()
        throws
    {
        let (writes, reads) = (Lock(0), Lock(0))
        scene.fail { operation, path in
            if operation == .rename { writes.withLock { $0 += 1 } }
            if operation == .read, path.hasSuffix(".journal") { reads.withLock { $0 += 1 } }
            return nil
        }
        let run = founder()
        let words = (0..<40).map { "p\($0):200" }
        try recordTests(words, of: run)
        #expect(writes.withLock { $0 } < 20)
        #expect(reads.withLock { $0 } < 3 * 40)
        let all = words.joined(separator: " ")
        #expect(try opened(as: run) == all)
        #expect(try scene.foundAfterKill().first == all)
        #expect(try scene.inFile() != all)
        run.note(scene.store.file)
        run.end()
        #expect(try scene.inFile() == all)
        #expect(directory.contents == ["a.json"])
    }

    @Test(arguments: [RequestMatcherOptions.standard, .strict])
    func `tests that share a file write less than ten times its length`(matchers: RequestMatcherOptions) throws {
        var rules = MergeRules()
        rules.otherKey = { matchers.key(of: $0) }
        let written = Lock(0)
        scene.fail { operation, path in
            guard operation == .rename else { return nil }
            // A new file is complete when it is moved to its name.
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            written.withLock { $0 += attributes?[.size] as? Int ?? 0 }
            return nil
        }
        // The second run replaces what the first recorded.
        for status in [200, 201] {
            let run = founder()
            written.withLock { $0 = 0 }
            for number in 0..<60 {
                let writer = try scene.writer(run)
                try record("p\(number):\(status)", from: number, byteCount: 300, rules: rules, by: writer)
                try writer.finish(mayWriteLater: true)
            }
            let journals = try scene.store.sidecars().journals.map {
                try FileSystem.fingerprint(at: $0.path)?.size ?? 0
            }
            run.note(scene.store.file)
            run.end()
            let byteCount = try #require(scene.store.byteCount)
            #expect(written.withLock { $0 } + Int(journals.reduce(0, +)) < 10 * byteCount)
        }
    }

    @Test func `finishRecording() writes the file, however little is new in it`() throws {
        let run = founder()
        let words = (0..<40).map { "p\($0):200" }
        try recordTests(Array(words.dropLast()), of: run)
        #expect(run.hasUnwritten(in: scene.store.file))
        let writer = try scene.writer(run)
        try record(words[39], from: 39, by: writer)
        try writer.finish()
        #expect(try scene.inFile() == words.joined(separator: " "))
    }

    @Test func `finishRecording() writes what the end of the same test has left for later`() throws {
        let run = founder()
        try recordTests((0..<20).map { "p\($0):200" }, of: run)
        var (writer, number) = (try scene.writer(run), 20)
        repeat {
            try record("p\(number):200", from: number, by: writer)
            try writer.finish(mayWriteLater: true)
            number += 1
        } while try scene.inFile().hasSuffix("p\(number - 1):200")
        try writer.finish()
        #expect(try scene.inFile().hasSuffix("p\(number - 1):200"))
    }

    /// Counts the reads of journals and of the base.
    private func countReads() -> Lock<Int> {
        let count = Lock(0)
        scene.fail { operation, path in
            if operation == .read, path.hasSuffix("journal") { count.withLock { $0 += 1 } }
            return nil
        }
        return count
    }

    @Test(arguments: ["a:200", "stale:200 a:200"], [["a:201 b:201", "c:201"], ["a:200"]])
    func `the exit reads no journal again if the stub file is as the same process has left it`(
        old: String,
        tests: [String]
    ) throws {
        try scene.write(old)
        let run = founder()
        for words in tests {
            let writer = try scene.writer(run)
            try record(words, by: writer)
            try writer.finish()
        }
        let reads = countReads()
        run.end()
        #expect(reads.withLock { $0 } == 0)
        #expect(try scene.inFile() == tests.joined(separator: " "))
        #expect(directory.contents == ["a.json"])
    }

    @Test func `an edit while the exit removes a stub is kept, and so is the stub`() throws {
        try scene.write("stale:200 a:200")
        let run = founder()
        let writer = try scene.writer(run)
        try record("a:201", by: writer)
        try writer.finish()
        let writes = Lock(0)
        scene.fail { [scene] operation, _ in
            let number = writes.withLock { writes in
                writes += operation == .write ? 1 : 0
                return writes
            }
            guard operation == .write, number == 1 else { return nil }
            #expect(throws: Never.self) { try scene.write("stale:200 a:201 edited:200") }
            return nil
        }
        run.end()
        scene.fail(nil)
        #expect(try scene.inFile() == "stale:200 a:201 edited:200")
        #expect(directory.contents == ["a.json"])
    }

    @Test func `a removal that failed is not repeated on what the same run has recorded since`() throws {
        try scene.write("stale:200 a:200")
        let run = founder()
        let first = try scene.writer(run)
        try record("a:201", by: first)
        try first.finish()
        scene.fail { operation, _ in operation == .rename ? SystemError(ENOSPC) : nil }
        run.beginAgain(scene.store.file)
        scene.fail(nil)
        let second = try scene.writer(run)
        try record("a:202", from: 1, by: second)
        try second.finish()
        run.end()
        #expect(try scene.inFile() == "a:201 a:202")
        #expect(directory.contents == ["a.json"])
    }

    @Test func `of many tests that add to one file, each notes only the stubs that were there before the run`() throws {
        try scene.write("old:200")
        let run = founder()
        for number in 10..<20 {
            let writer = try scene.writer(run)
            try record("new\(number):200", replaces: false, by: writer)
            try writer.finish()
        }
        let journals = try scene.store.sidecars().journals.map { journal in
            try JournalFile(journal.number, at: journal.path, of: scene.store.file).content
        }
        #expect(journals.map(\.loaded?.count) == Array(repeating: 1, count: 10))
    }

    @Test(arguments: [
        "an edit", "an edit of the same length", "another process", "a damaged line",
        "a stub that nobody requested, and an edit",
    ])
    func `the exit reads again what was changed since`(change: String) throws {
        try scene.write(change.hasPrefix("a stub") ? "stale:200 a:200" : "a:200")
        let run = founder()
        let writer = try scene.writer(run)
        try record("a:201 b:201", by: writer)
        try writer.finish()
        switch change {
        case "an edit": try scene.write("a:201 edited:200 b:201")
        case "a stub that nobody requested, and an edit": try scene.write("stale:200 a:201 edited:200 b:201")
        case "an edit of the same length":
            let content = try #require(scene.store.content)
            let edited = String(decoding: content, as: UTF8.self).replacingOccurrences(
                of: "http://a/b",
                with: "http://a/c"
            )
            try scene.store.write(Data(edited.utf8))
            #expect(edited.contains("http://a/c") && scene.store.byteCount == content.count)
        case "another process":
            let other = try scene.writer(launch(of: run))
            try record("other:201", by: other)
            try other.finish()
        case "a damaged line":
            let journal = try #require(try scene.store.sidecars().journals.first)
            try FileDescriptor.appending(journal.path).writeAll(Data("{}\n".utf8))
        default: break
        }
        let reads = countReads()
        run.end()
        #expect(reads.withLock { $0 } > 0)
        let expected = [
            "an edit": "a:201 edited:200 b:201", "an edit of the same length": "a:201 b:201 c:201",
            "another process": "a:201 b:201 other:201",
            "a stub that nobody requested, and an edit": "stale:200 a:201 edited:200 b:201",
        ]
        let found = try scene.inFile()
        #expect(found == expected[change] ?? "a:201 b:201")
    }

    @Test(arguments: [true, false])
    func `a process that exits before another one writes what it has left in its journals`(hasRunFile: Bool) throws {
        // A run with a name chosen by hand has no file.
        let run = hasRunFile ? founder() : Run(name: "by hand", isFounder: false)
        let other = try scene.writer()
        try record("other:200", by: other)
        var number = 0
        while !run.hasUnwritten(in: scene.store.file) {
            number += 1
            try recordTests(["p\(number):200"], of: run)
        }
        #expect(try !scene.inFile().contains("p\(number):"))
        run.end()
        #expect(try scene.inFile().contains("p\(number):"))
    }

    @Test func `an idle run and three later ones leave one stub for each request, the latest`() throws {
        let idle = try scene.writer()
        try record("a:1 b:1", by: idle)
        idle.updateFileNow()
        for status in 2...4 {
            let writer = try scene.writer()
            try record("a:\(status) b:\(status)", by: writer)
            try writer.exit()
        }
        try record("c:1", from: 2, by: idle)
        idle.updateFileNow()
        #expect(Set(try scene.inFile().split(separator: " ")) == ["a:4", "b:4", "c:1"])
        try idle.exit()
        #expect(Set(try scene.inFile().split(separator: " ")) == ["a:4", "b:4", "c:1"])
        #expect(directory.contents == ["a.json"])
    }

    @Test func `what one run has replaced is replaced by the next one, if the matchers of both take it for the same`()
        throws
    {
        try scene.write("a1:1 b:1")
        let idle = try scene.writer()
        try record("c:1", by: idle)
        var rules = MergeRules()
        rules.otherKey = { UInt64($0.url.path.dropFirst().utf8.first ?? 0) }
        rules.generation = 1
        for word in ["a2:2", "a3:3"] {
            let writer = try scene.writer()
            try record(word, rules: rules, by: writer)
            try writer.exit()
        }
        try idle.exit()
        #expect(Set(try scene.inFile().split(separator: " ")) == ["a3:3", "b:1", "c:1"])
    }

    @Test func `two tests of a process that share a file keep each other's stubs, and what neither asked for goes`()
        throws
    {
        try scene.write("a:1 stale:1 b:1 older:1")
        let run = founder()
        let (first, second) = (try scene.writer(run), try scene.writer(run))
        try record("a:2", by: first)
        try first.finish()
        try record("b:2", by: second)
        try second.finish()
        #expect(try scene.inFile() == "a:2 stale:1 b:2 older:1")
        run.end()
        #expect(try scene.inFile() == "a:2 b:2")
        #expect(directory.contents == ["a.json"])
    }

    @Test func `a run of three tests that is killed at any operation has all old stubs, or has ended`() throws {
        let tests = (1...3).map { "login\($0):2 own\($0):2" }
        let old = tests.joined(separator: " ").replacingOccurrences(of: ":2", with: ":1")
        var (first, isKilled, endCount) = (0, true, 0)
        while isKilled {
            let scene = RecordingScene()
            try scene.write(old + " stale:1")
            let run = Run(name: directory.url.path + "-run-\(UUID().uuidString)", isFounder: true)
            let count = scene.fail(from: first)
            for test in tests {
                guard let writer = try? scene.writer(run) else { continue }
                try? record(test, by: writer)
                try? writer.finish()
            }
            run.end()
            scene.fail(nil)
            isKilled = count.withLock { $0 } > first
            let found = Set(try scene.foundAfterKill().first.split(separator: " ").map { $0.prefix { $0 != ":" } })
            let all = Set((old + " stale:1").split(separator: " ").map { $0.prefix { $0 != ":" } })
            if found == all.subtracting(["stale"]) { endCount += 1 } else { #expect(found == all, "at \(first)") }
            first += isKilled ? 1 : 0
        }
        // The end of the run is its last operations.
        #expect(first > 60)
        #expect(endCount < first / 2)
    }

    @Test func `a test that failed before its first request keeps its stubs`() throws {
        try scene.write("a:1 b:1")
        let run = founder()
        let (first, failed) = (try scene.writer(run), try scene.writer(run))
        try record("a:2", by: first)
        try first.finish()
        failed.keepUnrequested()
        try failed.finish()
        run.end()
        #expect(try scene.inFile() == "a:2 b:1")
    }

    @Test
    func `what is answered after the end of a recording belongs to it, and nothing is removed until it has ended`()
        throws
    {
        for hasEnded in [true, false] {
            try scene.write("a:1 b:1 stale:1")
            let run = founder()
            let writer = try scene.writer(run)
            writer.begin(1)
            try record("a:2", by: writer)
            try writer.finish()
            // The end of the recording is asked for again and again.
            try writer.finish()
            #expect(try scene.foundAfterKill().first == "a:2 b:1 stale:1")
            try record("b:5", from: 1, by: writer)
            #expect(try scene.foundAfterKill().first == "a:2 b:5 stale:1")
            if hasEnded { writer.end(1) } else { run.keepUnrequested(in: scene.store.file) }
            try writer.exit()
            run.end()
            #expect(try scene.inFile() == (hasEnded ? "a:2 b:5" : "a:2 b:5 stale:1"))
            #expect(directory.contents == ["a.json"])
        }
    }

    @Test func `when the process exits nothing is recorded any more, and the error says so`() throws {
        let run = founder()
        let writer = try scene.writer(run)
        try record("a:1", by: writer)
        run.stop()
        let error = #expect(throws: StubbornNetworkError.self) { try record("b:1", from: 1, by: writer) }
        #expect(
            error?.message == """
                The request for http://a/b was not recorded: the process is exiting. Await or cancel the requests before \
                it exits.
                """
        )
        try writer.exit()
        #expect(try scene.inFile() == "a:1")
        #expect(directory.contents == ["a.json"])
        run.end()
    }

    @Test func `two runs that end at the same moment leave nothing next to the file`() throws {
        let runFiles = RecordingScene(name: "first")
        try runFiles.write("")
        try FileManager.default.removeItem(at: runFiles.store.file)
        let (first, second) = (Run(name: runFiles.store.file.path, isFounder: true), founder())
        first.begin()
        for (run, word) in [(first, "a:1"), (second, "b:1")] {
            let writer = try scene.writer(run)
            try record(word, replaces: false, by: writer)
            try writer.finish()
        }
        // The first run has found that the second one lives, and is still alive itself.
        runFiles.fail { operation, _ in
            if operation == .remove { second.end() }
            return nil
        }
        first.end()
        #expect(try scene.inFile() == "a:1 b:1")
        #expect(directory.contents == ["a.json"])
    }

    @Test func `where one of two tests did not make all its requests, nothing is removed`() throws {
        try scene.write("a:1 b:1 stale:1")
        let run = founder()
        let (first, second) = (try scene.writer(run), try scene.writer(run))
        first.keepUnrequested()
        try record("a:2", by: first)
        try first.finish()
        try record("b:2", by: second)
        try second.finish()
        run.end()
        #expect(try scene.inFile() == "a:2 b:2 stale:1")
    }

    @Test func `launches that only share the text of STUB_RUN add to each other, until another run reads the file`()
        throws
    {
        for words in ["a:1 b:1", "a:2"] {
            let writer = try scene.writer(Run(name: "text", isFounder: false))
            try record(words, by: writer)
            try writer.exit()
        }
        #expect(try scene.inFile() == "a:1 b:1 a:2")
        #expect(try opened() == "a:1 b:1 a:2")
        #expect(directory.contents == ["a.json"])
    }

    @Test(arguments: [false, true])
    func `two runs that add the same requests at once leave each once, as the later run recorded it`(isFolded: Bool)
        throws
    {
        try scene.write("old:1")
        let (first, second) = (try scene.writer(), try scene.writer())
        for (number, path) in ["a", "b", "a", "c"].enumerated() {
            for (status, writer) in [(2, first), (3, second)] {
                try record("\(path):\(status)", replaces: false, from: number, by: writer)
                if isFolded { writer.updateFileNow() }
            }
        }
        // What only one of them asks for stays.
        try record("mine:2", replaces: false, from: 4, by: first)
        for writer in [first, second] { try writer.exit() }
        #expect(try scene.inFile() == "old:1 a:3 b:3 a:3 c:3 mine:2")
        #expect(directory.contents == ["a.json"])
    }

    @Test func `a run that has loaded what another one added adds to it`() throws {
        let first = try scene.writer()
        try record("a:2", replaces: false, by: first)
        let second = try scene.writer()
        try record("a:3", replaces: false, by: second)
        try record("b:2", replaces: false, from: 1, by: first)
        try record("b:3", replaces: false, from: 1, by: second)
        for writer in [first, second] { try writer.exit() }
        #expect(try scene.inFile() == "a:2 b:3 a:3")
    }

    @Test func `what a run adds does not replace what another one has recorded again`() throws {
        try scene.write("a:1 b:1")
        let (first, second) = (try scene.writer(), try scene.writer())
        try record("a:2", by: first)
        // It has played the old stub.
        try record("a:3", replaces: false, by: second)
        for writer in [first, second] { try writer.exit() }
        #expect(try scene.inFile() == "a:2 b:1 a:3")
    }

    // MARK: Edits

    /// Removes the directory next to the stub file, as `git clean -d -X` does.
    private func removeJournals() throws {
        try FileManager.default.removeItem(at: directory.file(".a.json.journal"))
    }

    /// Removes some files next to the stub file.
    private func removeJournals(where fits: (String) -> Bool) throws {
        for name in directory.contents where name.hasSuffix(".journal") && fits(name) {
            try FileManager.default.removeItem(at: directory.file(name))
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `after all journals were removed during a run nothing is there twice, and nothing is lost`(
        replaces: Bool,
        isFolded: Bool
    ) throws {
        let earlier = try scene.writer()
        try record("a:1 b:1", replaces: false, by: earlier)
        try earlier.exit()
        let writer = try scene.writer()
        for (number, word) in ["a:1", "d:2", "c:3", "e:2"].enumerated() {
            try record(word, replaces: replaces, from: number, by: writer)
            if isFolded { writer.updateFileNow() }
            try removeJournals()
        }
        writer.keepUnrequested()
        try writer.exit()
        #expect(try scene.inFile() == (replaces ? "a:1 d:2 c:3 e:2 b:1" : "a:1 b:1 a:1 d:2 c:3 e:2"))
        #expect(directory.contents == ["a.json"])
    }

    @Test(arguments: [true, false])
    func `after a journal was removed during a run, but not the base, each recording is there once`(isFolded: Bool)
        throws
    {
        let earlier = try scene.writer()
        try record("a:1 b:1", replaces: false, by: earlier)
        try earlier.exit()
        // The first stub is recorded once more, byte by byte the same.
        let writer = try scene.writer()
        for (number, word) in ["a:1", "c:2", "d:2"].enumerated() {
            try record(word, replaces: false, from: number, by: writer)
            if isFolded { writer.updateFileNow() }
            try removeJournals { !$0.contains(".base.") }
        }
        try writer.exit()
        #expect(try scene.inFile() == "a:1 b:1 a:1 c:2 d:2")
    }

    @Test func `two processes whose journals were removed leave each recording once`() throws {
        try scene.write("a:1 b:1")
        let writers = [try scene.writer(), try scene.writer()]
        for number in 0..<3 {
            for (index, writer) in writers.enumerated() {
                try record("\(index)-\(number):2", replaces: false, from: number, by: writer)
                writer.updateFileNow()
            }
            try removeJournals()
        }
        for writer in writers { try writer.exit() }
        let expected: Set<Substring> = ["a:1", "b:1", "0-0:2", "0-1:2", "0-2:2", "1-0:2", "1-1:2", "1-2:2"]
        let found = try scene.inFile().split(separator: " ")
        #expect(Set(found) == expected)
        #expect(found.count == expected.count)
    }

    private static let edits: [@Sendable (RecordingScene) throws -> Void] = [
        { try $0.write("a:1 b:1") },
        { try FileManager.default.removeItem(at: $0.store.file) },
        {
            try FileManager.default.removeItem(at: $0.store.file); try $0.write("a:1 b:1")
        },
    ]

    @Test(arguments: edits.indices)
    func `a file that is reset or removed during a run has everything that the run records`(edit: Int) throws {
        try scene.write("a:1 b:1")
        let writer = try scene.writer()
        try record("a:2 c:2 d:2 e:2", by: writer)
        writer.updateFileNow()
        try Self.edits[edit](scene)
        try record("f:2 g:2", from: 4, by: writer)
        writer.updateFileNow()
        try Self.edits[edit](scene)
        writer.keepUnrequested()
        try writer.exit()
        let found = try scene.inFile()
        #expect(found == (edit == 1 ? "a:2 c:2 d:2 e:2 f:2 g:2" : "a:2 c:2 d:2 e:2 f:2 g:2 b:1"))
        #expect(directory.contents == ["a.json"])
    }

    @Test func `a person who removes, adds and changes stubs during a run keeps these changes`() throws {
        try scene.write("a:1 b:1 c:1")
        let writer = try scene.writer()
        try record("a:2 d:2 e:2", by: writer)
        writer.updateFileNow()
        #expect(try scene.inFile() == "a:2 d:2 e:2 b:1 c:1")
        // Without b, with x, and without d, which comes back: it was recorded.
        try scene.write("a:2 e:2 x:7 c:1")
        try record("f:2", from: 3, by: writer)
        try writer.exit()
        #expect(try scene.inFile() == "a:2 d:2 e:2 f:2 x:7 c:1")
    }

    @Test func `a stub that a person adds in place before the file is written for the first time stays`() throws {
        try scene.write("a:1")
        let writer = try scene.writer()
        try record("a:2", by: writer)
        let other = RecordingScene()
        try other.write("a:1 mine:7")
        let text = try Data(contentsOf: other.store.file)
        let handle = try FileHandle(forWritingTo: scene.store.file)
        try handle.write(contentsOf: text)
        try handle.close()
        try writer.exit()
        #expect(try scene.inFile() == "a:2 mine:7")
    }

    @Test func `a program that writes keys in another order during a run doubles nothing`() throws {
        try scene.write("a:1")
        let writer = try scene.writer()
        try record("a:2 b:2", by: writer)
        writer.updateFileNow()
        let stubs = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: scene.store.file)) as? [[String: Any]]
        )
        let turned = stubs.map { stub in
            "{"
                + stub.keys.sorted(by: >).map { key in
                    let value = try? JSONSerialization.data(withJSONObject: stub[key] ?? "", options: .fragmentsAllowed)
                    return "\"\(key)\":" + String(decoding: value ?? Data(), as: UTF8.self)
                }.joined(separator: ",") + "}"
        }
        try Data("[\(turned.joined(separator: ","))]".utf8).write(to: scene.store.file)
        try record("c:2", from: 2, by: writer)
        try writer.exit()
        #expect(try scene.inFile() == "a:2 b:2 c:2")
    }

    @Test func `journals that are removed during a run, and conflict markers that are mended, lose nothing`() throws {
        try scene.write("a:1")
        let writer = try scene.writer()
        try record("a:2 b:2", by: writer)
        writer.updateFileNow()
        for name in directory.contents where name.hasSuffix(".journal") {
            try FileManager.default.removeItem(at: directory.file(name))
        }
        try record("c:2", from: 2, by: writer)
        writer.updateFileNow()
        #expect(try scene.inFile() == "a:2 b:2 c:2")
        let whole = try directory.text(of: "a.json")
        try directory.write("<<<<<<< HEAD\n" + whole, to: "a.json")
        try record("d:2", from: 3, by: writer)
        #expect(throws: StubbornNetworkError.self) { try writer.finish() }
        try directory.write(whole, to: "a.json")
        try writer.exit()
        #expect(try scene.inFile() == "a:2 b:2 c:2 d:2")
        #expect(directory.contents == ["a.json"])
    }

    // MARK: Recovery

    @Test func `what killed processes left is put into the file once, and nothing else is left`() throws {
        try scene.write("a:1 b:1")
        let (one, other) = (try scene.writer(), try scene.writer())
        try record("a:2 c:2", by: one)
        one.updateFileNow()
        try record("x:3", replaces: false, by: other)
        let killed = try scene.killed()
        try killed.directory.write("[", to: ".a.json.journal/5f3a91c2.new.journal")
        try killed.directory.write("", to: ".a.json.journal/5f3a91c3.1.journal")
        try killed.directory.write("kept", to: ".other.json.journal/5f3a91c2.1.journal")
        for _ in 0..<3 {
            let found = try StubFileGeneration.open(killed.store).entries
            #expect(StubShorthand.text(found) == "a:2 c:2 b:1 x:3")
            #expect(try killed.inFile() == "a:2 c:2 b:1 x:3")
            #expect(killed.directory.contents == [".other.json.journal/5f3a91c2.1.journal", "a.json"])
        }
        try one.exit()
        try other.exit()
    }

    @Test func `a journal has the name of its machine`() {
        #expect(!SystemProcess.host.isEmpty)
    }

    @Test func `files of other programs hide no journal, and are left alone`() throws {
        let others =
            (0..<32).map { ".a.json.\($0).swp" } + [
                ".a.json.backup", ".a.json.5f3a91c2.1.journal", ".a.json.journal/xyzxyzxy.1.journal",
                ".a.json.journal/notes/5f3a91c2.1.journal",
            ]
        for name in others { try directory.write("", to: name) }
        try scene.write("a:1")
        try record("a:2 b:2", by: try scene.writer())
        for name in others.reversed() { try directory.write("", to: name) }
        let killed = try scene.killed()
        #expect(StubShorthand.text(try StubFileGeneration.open(killed.store).entries) == "a:2 b:2")
        #expect(killed.directory.contents == (others + ["a.json"]).sorted())
    }

    @Test func `a reader that may not write sees the same as one that may`() throws {
        try scene.write("a:1 b:1")
        let writer = try scene.writer()
        try record("b:2 c:2", by: writer)
        let killed = try scene.killed()
        killed.fail { operation, path in
            [.rename, .remove, .link].contains(operation) || (operation == .open && path.hasSuffix(".new.journal"))
                ? SystemError(EROFS) : nil
        }
        for _ in 0..<5 {
            let found = try StubFileGeneration.open(killed.store).entries
            #expect(StubShorthand.text(found) == "a:1 b:2 c:2")
            #expect(try killed.inFile() == "a:1 b:1")
        }
        killed.fail(nil)
        let found = try StubFileGeneration.open(killed.store).entries
        #expect(StubShorthand.text(found) == "a:1 b:2 c:2")
        #expect(try killed.inFile() == "a:1 b:2 c:2")
        try writer.exit()
    }

    @Test func `a living process's journal is read and left alone`() throws {
        try scene.write("a:1")
        let writer = try scene.writer()
        try record("b:2", replaces: false, by: writer)
        #expect(try opened() == "a:1 b:2")
        #expect(try scene.inFile() == "a:1")
        #expect(directory.contents.count == 3)
        try writer.exit()
    }

    @Test func `what a process appends while its journal is looked at, before it is killed, is not lost`() throws {
        let writer = try scene.writer()
        try record("a:1", by: writer)
        let name = try #require(directory.contents.first { $0.hasSuffix(".1.journal") })
        let first = try Data(contentsOf: directory.file(name))
        try record("b:2", from: 1, by: writer)
        let killed = try scene.killed()
        let journal = killed.directory.file(name)
        let rest = try Data(contentsOf: journal).dropFirst(first.count)
        try first.write(to: journal)
        let isAppended = Lock(false)
        killed.fail { operation, path in
            guard operation == .lock, path.hasSuffix(".1.journal"), isAppended.withLock({ $0.setOnce() }) else {
                return nil
            }
            let handle = FileHandle(forWritingAtPath: journal.path)
            handle?.seekToEndOfFile()
            handle?.write(rest)
            return nil
        }
        #expect(StubShorthand.text(try StubFileGeneration.open(killed.store).entries) == "a:1 b:2")
        killed.fail(nil)
        #expect(isAppended.withLock { $0 })
        #expect(try killed.inFile() == "a:1 b:2")
        try writer.exit()
    }

    @Test func `a damaged journal is kept aside, and what is whole of it is in the file`() throws {
        let writer = try scene.writer()
        try record("a:1 b:2 c:3", by: writer)
        let killed = try scene.killed()
        let name = try #require(killed.directory.contents.first { $0.hasSuffix(".1.journal") })
        let text = try killed.directory.text(of: name)
        try killed.directory.write(text.replacingOccurrences(of: "http://a/b", with: "http://a/x"), to: name)
        for _ in 0..<2 {
            #expect(StubShorthand.text(try StubFileGeneration.open(killed.store).entries) == "a:1 c:3")
            #expect(try killed.inFile() == "a:1 c:3")
            #expect(killed.directory.contents.count == 2)
            #expect(killed.directory.contents.first?.hasSuffix(".damaged.journal") == true)
        }
        try writer.exit()
    }

    @Test func `the last settings of a run that was killed hold for all that it recorded`() throws {
        func stub(_ path: String, build: String) throws -> Stub {
            try .get("http://a/\(path)", .status(200, ["X-Build": build], body: path))
        }
        let entries = try ["a", "b"].map { StubFileEntry(rendering: try stub($0, build: "1"), bodyEncoding: .base64) }
        try scene.store.write(StubFileDocument(entries: entries).data)
        let writer = try scene.writer()
        try writer.add(Recording(try stub("a", build: "2"), requestNumber: 1, replaces: true))
        var later = Recording(try stub("b", build: "2"), requestNumber: 2, replaces: true)
        later.rules = MergeRules(volatileHeaderFields: .standard.including("X-Build"), generation: 1)
        try writer.add(later)
        let killed = try scene.killed()
        let builds = try StubFileGeneration.open(killed.store).entries.map {
            $0.stub.response.head?.headerFields["X-Build"]
        }
        #expect(builds == ["1", "1"])
        try writer.exit()
    }

    @Test func `playback does not wait for a process that holds the lock`() throws {
        try scene.write("a:1")
        let writer = try scene.writer()
        try record("b:2", replaces: false, by: writer)
        let killed = try scene.killed()
        try killed.store.withDirectoryLock { _ throws(StubbornNetworkError) in
            let entries = try StubFileGeneration.open(killed.store, waitingAtMost: 0.02).entries
            #expect(StubShorthand.text(entries) == "a:1 b:2")
        }
        #expect(try killed.inFile() == "a:1")
        try writer.exit()
    }

    @Test func `a malformed stub file is an error, and nothing is lost`() throws {
        let writer = try scene.writer()
        try record("a:1", by: writer)
        let killed = try scene.killed()
        try killed.directory.write("[{]", to: "a.json")
        let error = #expect(throws: StubbornNetworkError.self) { try StubFileGeneration.open(killed.store) }
        #expect(error?.code == .malformedStubFile)
        #expect(error?.file?.lastPathComponent == "a.json")
        #expect(try killed.directory.text(of: "a.json") == "[{]")
        try FileManager.default.removeItem(at: killed.store.file)
        #expect(StubShorthand.text(try StubFileGeneration.open(killed.store).entries) == "a:1")
        try writer.exit()
    }

    // MARK: Playback in launches

    @Test func `a relaunch goes on where the launch before it ended`() throws {
        try scene.write("a:1 a:2 a:3")
        let run = founder()
        for (count, statuses) in [(2, [1, 2]), (2, [3, 3])] {
            let source = StubSource(file: scene.store.file, run: launch(of: run))
            try source.load()
            let found = try (0..<count).map { _ in
                let stub = source.take(for: try Stub.get("http://a/a", .status(1)).request, by: PlaybackRules())
                return stub?.response.head?.statusCode
            }
            #expect(found == statuses)
        }
        run.end()
    }
}
