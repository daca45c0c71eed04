import Foundation
import Testing

@testable import StubbornNetwork

/// The documentation tells the truth: its code is compiled, its stub files are real, and the messages that it quotes are
/// those of the sources.
struct DocumentationTests {
    /// The files of this folder, each as one text of lines without indentation.
    private static let compiledCode = Document.files(in: Document.folder, withExtension: "swift")
        .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
        .map { "\n" + Document.lines(of: $0).joined(separator: "\n") + "\n" }

    @Test func `the README and all articles are found`() {
        let names = Document.all.map(\.name)
        #expect(names.contains("README.md"))
        #expect(names.contains("StubbornNetwork.docc/StubbornNetwork.md"))
        #expect(names.contains("StubbornNetworkTesting.docc/StubbornNetworkTesting.md"))
        #expect(names.contains("StubbornNetworkTooling.docc/StubbornNetworkTooling.md"))
        #expect(names.count >= 17)
    }

    @Test(arguments: Document.all)
    func `every Swift block in the documents is compiled`(document: Document) {
        for block in document.blocks(of: "swift") {
            let code = "\n" + Document.lines(of: block).joined(separator: "\n") + "\n"
            #expect(Self.compiledCode.contains { $0.contains(code) }, "Compiled in no file of this folder:\(code)")
        }
    }

    /// An object is a settings file.
    ///
    /// An array of objects with a request each is a stub file; one of objects with a URL each
    /// is a request snapshot.
    @Test(arguments: Document.all)
    func `every stub file loads, and is as the library writes it`(document: Document) throws {
        for block in document.blocks(of: "json") {
            let json = try JSONSerialization.jsonObject(with: Data(block.utf8))
            if json is [String: Any] {
                let directory = FileManager.default.temporaryDirectory
                    .appendingPathComponent("settings-\(UUID().uuidString)", isDirectory: true)
                defer { try? FileManager.default.removeItem(at: directory) }
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
                try Data(block.utf8).write(to: directory.appendingPathComponent(StubDirectorySettings.fileName))
                #expect(try NetworkSettings(of: directory).directory.file != nil)
                continue
            }
            let objects = try #require(json as? [[String: Any]], "No array of objects: \(block)")
            if objects.allSatisfy({ $0["url"] != nil }) { continue }
            let file = try StubFileDocument(
                parsing: StubFileText(Data(block.utf8), file: URL(fileURLWithPath: document.name))
            )
            #expect(file.entries.count == objects.count)
            let encoding: BodyEncoding = block.contains("\"json\" :") ? .readable : .base64
            let entries = file.entries.map { StubFileEntry(rendering: $0.stub, bodyEncoding: encoding) }
            let written = StubFileDocument(entries: entries).data
            #expect(String(decoding: written, as: UTF8.self) == block)
        }
    }

    /// The links are relative, so that they work on a forge; `.ci/docs` turns them into DocC's.
    @Test(arguments: Document.all)
    func `every link in the documents leads to a file`(document: Document) {
        let targets = document.text.components(separatedBy: "](").dropFirst().map { $0.components(separatedBy: ")")[0] }
        for target in targets where !target.contains("://") {
            let file = document.folder.appendingPathComponent(target.components(separatedBy: "#")[0])
            #expect(FileManager.default.fileExists(atPath: file.path), "\(target)")
        }
        #expect(!document.text.contains("<doc:") || document.text.contains("## Topics"))
    }

    /// The article names each message by a heading, with `…` for what is different each time.
    @Test func `every message in the troubleshooting article appears in the sources`() throws {
        let article = try #require(Document.all.first { $0.name.hasSuffix("/Troubleshooting.md") })
        let messages = Document.lines(of: article.text).filter { $0.hasPrefix("### ") }.map { $0.dropFirst(4) }
        let sources = try sourceTexts()
        #expect(messages.count >= 20)
        for message in messages {
            let parts = message.replacingOccurrences(of: "`", with: "").components(separatedBy: "…")
                .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            #expect(!parts.isEmpty)
            #expect(sources.contains { Self.text($0, hasInOrder: parts) }, "In no source file: \(message)")
        }
    }

    /// Each row of the table has a promise, a file and a test.
    @Test func `every promise in CONTRIBUTING names a test that exists`() throws {
        let contributing = Document.root.appendingPathComponent("CONTRIBUTING.md")
        let rows = try String(contentsOf: contributing, encoding: .utf8).components(separatedBy: "| promise |").last
        let cells = Document.lines(of: try #require(rows)).map { $0.components(separatedBy: "`") }
            .filter { $0.count == 5 }
        let folder = Document.root.appendingPathComponent("Tests")
        let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let tests = try #require(found).compactMap { $0 as? URL }
        #expect(cells.count >= 14)
        for row in cells {
            let files = tests.filter { $0.lastPathComponent == row[1] }
            let text = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
            #expect(text.contains("func `\(row[3])`"), "\(row[1]) has no test \(row[3])")
        }
    }

    private static func text(_ text: String, hasInOrder parts: [String]) -> Bool {
        var rest = text[...]
        for part in parts {
            guard let found = rest.range(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }

    /// The source files of both products, with strings that are wrapped in the code joined again.
    private func sourceTexts() throws -> [String] {
        let sources = Document.root.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map { file in
            try String(contentsOf: file, encoding: .utf8)
                .replacingOccurrences(of: "\\\\\\n\\s*", with: "", options: .regularExpression)
                .replacingOccurrences(of: "\"\\s*\\+ \"", with: "", options: .regularExpression)
                .replacingOccurrences(of: "\\\"", with: "\"")
        }
    }
}
