import Foundation
import StubbornNetwork
import Testing

/// The README tells the truth: its code is compiled, and its stub file loads.
struct ReadmeTests {
    private let readme: String
    private let directory = URL(fileURLWithPath: "\(#filePath)").deletingLastPathComponent()

    init() throws {
        let root = directory.appendingPathComponent("../../..").standardizedFileURL
        readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    }

    /// The fenced blocks of a language, as lines without indentation.
    private func blocks(of language: String) -> [[String]] {
        readme.components(separatedBy: "```\(language)\n").dropFirst()
            .map { lines(of: $0.components(separatedBy: "```")[0]) }
    }

    private func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test func `every Swift block stands in a file that is compiled`() throws {
        let sources = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" && $0.lastPathComponent != "ReadmeTests.swift" }
            .map { "\n" + lines(of: try String(contentsOf: $0, encoding: .utf8)).joined(separator: "\n") + "\n" }
        let blocks = blocks(of: "swift")
        #expect(blocks.count >= 7)
        for block in blocks {
            let code = "\n" + block.joined(separator: "\n") + "\n"
            #expect(sources.contains { $0.contains(code) }, "Not compiled anywhere:\(code)")
        }
    }

    @Test func `the stub file loads`() async throws {
        let json = try #require(blocks(of: "json").first).joined(separator: "\n")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(json.utf8).write(to: folder.appendingPathComponent("readme.json"))
        let network = StubbornNetwork(.persistent(name: "readme", path: folder.path)!, environment: [:])
        let url = URL(string: "https://api.example.com/users/42")!
        #expect(try network.response(to: URLRequest(url: url)).0 == Data(#"{"id":42}"#.utf8))
    }
}
