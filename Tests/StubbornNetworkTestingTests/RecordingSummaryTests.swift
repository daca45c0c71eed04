import Foundation
import Testing

@testable import StubbornNetwork
@testable import StubbornNetworkTesting

/// The summary of what the tests of a run have recorded.
struct RecordingSummaryTests {
    private let package = TemporaryPackage()

    private func entry(_ path: String, _ status: Int = 200) throws -> StubFileEntry {
        try entry(path, .status(status))
    }

    private func entry(_ path: String, _ response: StubResponse) throws -> StubFileEntry {
        let url = try #require(URL(string: "https://a.example/\(path)"))
        return StubFileEntry(rendering: Stub(request: StubRequest(url: url), response: response), bodyEncoding: .base64)
    }

    private func write(_ entries: [StubFileEntry], to path: String = "Stubs/A.json") throws -> URL {
        let file = package.file(path)
        try FileSystem.createDirectory(FileSystem.directory(of: file.path))
        try StubFileStore(file: file).write(StubFileDocument(entries: entries).data)
        return file
    }

    @Test func `the files, the exchanges, what stayed, what was written and the statuses are counted`() throws {
        let (a, b) = (try entry("a"), try entry("b"))
        var summary = RecordingSummary()
        let file = try write([a, entry("b", 404), entry("c")])
        summary.note(1, in: file, before: [a.identity, b.identity])
        summary.note(2, in: file, before: [a.identity])
        #expect(
            summary.text() == """
                The tests recorded 3 exchanges into 1 stub file; of the stubs, 1 stayed, 2 were written.
                Statuses: 2 of 200, 1 of 404.
                Review the files, commit them, and run again without recording. To let such a test pass, leave `.recorded` \
                out of `failsOn:`.
                """
        )
        #expect(RecordingSummary().text() == "")
        // Another process has recorded it.
        summary = RecordingSummary()
        summary.note(3, in: file, before: nil)
        #expect(summary.text().hasPrefix("The tests recorded 3 exchanges into 1 stub file.\nStatuses: "))
    }

    @Test func `files whose stubs have only one status, which is no success, are counted`() throws {
        var summary = RecordingSummary()
        for (name, statuses) in [("A", [403, 403]), ("B", [403]), ("C", [200]), ("D", [403, 200])] {
            let file = try write(statuses.map { try entry(name, $0) }, to: "Stubs/\(name).json")
            summary.note(statuses.count, in: file, before: [])
        }
        #expect(summary.text().contains("\nStatuses: 2 of 200, 4 of 403. 2 of 4 files have only 403.\n"))
    }

    @Test(arguments: [
        ("Tests/AppTests", "", "Stubs"), ("Tests/AppTests/Login", "", "Login/Stubs"),
        ("Tests/AppTests", #"exclude: ["Stubs"]"#, nil), ("Tests/AppTests/Login", #"exclude: ["Login"]"#, nil),
        ("Tests/AppTests", #"resources: [.copy("Stubs")]"#, nil), ("", "", nil), ("Sources/App", "", nil),
        ("Tests", "", nil),
    ])
    func `a manifest that does not name the stub directory gets one line`(
        folder: String,
        manifest: String,
        path: String?
    ) throws {
        try package.write(manifest, to: "Package.swift")
        var summary = RecordingSummary()
        for name in ["A", "B"] {
            summary.note(1, in: try write([entry("a")], to: "\(folder)/Stubs/\(name).json"), before: [])
        }
        let lines = summary.text().split(separator: "\n").filter { $0.hasPrefix("Add this") }
        #expect(lines == (path.map { ["Add this to the test target in Package.swift:  exclude: [\"\($0)\"]"] } ?? []))
    }

    /// Notes two files whose bodies have `items[].took` and `meta.id`, and settings that list key paths; returns the lines
    /// that name one.
    private func unmatched(_ settings: String, runsSomeTests: Bool = false) throws -> [String] {
        try package.write("", to: "Package.swift")
        try package.write(settings, to: "Stubs/.stubborn.json")
        let event = #"data: {"items": [{"took": 3}]}\#n\#n"#
        let stream = StubResponse.text(event, headers: ["Content-Type": "text/event-stream"])
        let bodies: [(String, StubResponse)] = [("A", stream), ("B", .json(["meta": ["id": 1]]))]
        var summary = RecordingSummary()
        for (name, response) in bodies {
            let file = try write([entry("", response)], to: "Stubs/\(name).json")
            // One test plays its file: the member that a path leads to was recorded earlier.
            if name == "A" { summary.note(1, in: file, before: []) }
            summary.note(try NetworkSettings(of: package.file("Stubs")).directory, of: file)
        }
        return summary.text(runsSomeTests: runsSomeTests).split(separator: "\n").map(String.init)
            .filter { $0.contains(" lists ") }
    }

    @Test func `a key path of the settings that leads to no member is said once, with the file`() throws {
        let settings = #"{"volatileJSONKeys": ["items.took", "took"], "matching": {"ignoredJSONKeys": ["meta"]}}"#
        let lines = try unmatched(settings)
        #expect(lines.count == 1)
        let start = #"volatileJSONKeys lists "took", but no recorded body has a member at this path."#
        #expect(lines.first?.hasPrefix(start) == true)
        #expect(lines.first?.hasSuffix("/Stubs/.stubborn.json.") == true)
    }

    @Test(arguments: ["{}", #"{"volatileJSONKeys": ["meta", "meta.id"]}"#])
    func `key paths that lead to a member are not said`(settings: String) throws {
        #expect(try unmatched(settings) == [])
    }

    @Test func `nothing is said of key paths if other tests may have recorded the member`() throws {
        #expect(try unmatched(#"{"volatileJSONKeys": ["took"]}"#, runsSomeTests: true) == [])
    }
}

/// A directory of a test's own, gone with the test.
private final class TemporaryPackage: Sendable {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent("summary-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Writes a file, making the directory.
    func write(_ text: String, to name: String) throws {
        try FileSystem.createDirectory(FileSystem.directory(of: file(name).path))
        try Data(text.utf8).write(to: file(name))
    }
}
