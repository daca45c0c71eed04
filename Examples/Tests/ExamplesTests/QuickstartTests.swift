// The quickstart keeps its word, as often as it is run.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct QuickstartTests {
    @Test func `the quickstart can run repeatedly in the same directory`() async throws {
        let directory = TemporaryDirectory()
        for _ in 1...2 {
            let run = try await BuiltProgram.quickstart.run("--directory", directory.path)
            #expect(run.exitCode == 0)
            #expect(run.error == "")
            #expect(run.output.contains("   GET /cover.png   200  256 bytes   from the server\n"))
            #expect(run.output.contains("   GET /cover.png   200  256 bytes   from the file   the same\n"))
            #expect(run.output.contains("   6 requests reached the server. Now it is stopped.\n"))
            #expect(run.output.contains("   0 requests reached the server."))
            #expect(run.output.hasSuffix("\n\(directory.path)/Quickstart.json\n"))
            #expect(run.output.split(separator: "\n", omittingEmptySubsequences: false).count < 40)
            #expect(directory.contents == ["Quickstart.json"])
            #expect(try stubCount(in: directory) == 6)
        }
    }

    @Test func `the quickstart ignores the shell's environment variables`() async throws {
        let directory = TemporaryDirectory()
        let run = try await BuiltProgram.quickstart.run(
            "--directory",
            directory.path,
            environment: ["CI": "true", "STUB_RECORD_MODE": "live", "STUB_NAME": "x", "TESTING": "1"]
        )
        #expect(run.exitCode == 0)
    }

    @Test func `a directory that is a file is an error that names it`() async throws {
        let directory = TemporaryDirectory()
        try directory.write("not a directory", to: "file")
        let path = directory.url.appendingPathComponent("file").path
        let run = try await BuiltProgram.quickstart.run("--directory", path)
        #expect(run.exitCode == 1)
        #expect(run.error.contains(path))
        #expect(try directory.text(of: "file") == "not a directory")
    }

    private func stubCount(in directory: TemporaryDirectory) throws -> Int? {
        let file = try Data(contentsOf: directory.url.appendingPathComponent("Quickstart.json"))
        return (try JSONSerialization.jsonObject(with: file) as? [Any])?.count
    }
}
