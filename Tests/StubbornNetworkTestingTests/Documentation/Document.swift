import Foundation
import Testing

/// The README, or an article of one of the two documentation catalogues.
struct Document: Sendable, CustomTestStringConvertible {
    /// As `README.md` and `StubbornNetwork.docc/RecordingStubs.md`.
    let name: String
    /// The folder that relative links begin at.
    let folder: URL
    let text: String

    var testDescription: String { name }

    /// The fenced blocks of a language, as they are written there.
    func blocks(of language: String) -> [String] {
        text.components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    /// The lines of a string without indentation, and without those that are empty.
    static func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    static let folder = URL(fileURLWithPath: "\(#filePath)").deletingLastPathComponent()
    static let root = folder.appendingPathComponent("../../..").standardizedFileURL

    /// The README and all articles.
    ///
    /// A file that cannot be read is missing here, and a test fails because of it.
    static let all: [Document] = {
        let products = ["StubbornNetwork", "StubbornNetworkTesting", "StubbornNetworkTooling"]
        let catalogues = products.map { "Sources/\($0)/\($0).docc" }
        let articles = catalogues.flatMap { path in
            files(in: root.appendingPathComponent(path), withExtension: "md")
        }
        return ([root.appendingPathComponent("README.md")] + articles).compactMap { file in
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
            let catalogue = file.deletingLastPathComponent().lastPathComponent
            let isArticle = catalogue.hasSuffix(".docc")
            return Document(
                name: (isArticle ? "\(catalogue)/" : "") + file.lastPathComponent,
                folder: file.deletingLastPathComponent(),
                text: text
            )
        }
    }()

    /// The files of a folder, sorted by name.
    static func files(in folder: URL, withExtension fileExtension: String) -> [URL] {
        let all = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (all ?? []).filter { $0.pathExtension == fileExtension }.sorted { $0.path < $1.path }
    }
}
