import Foundation
import StubbornNetwork

/// A directory of a test's own, gone with the test.
final class TemporaryDirectory: Sendable {
    let url: URL

    var path: String { url.path }

    /// The directory that has all others: a recording that a test does not end is written when the process exits, which makes
    /// its directory again.
    private static let parent: URL = {
        atexit { try? FileManager.default.removeItem(at: TemporaryDirectory.parent) }
        return FileManager.default.temporaryDirectory.appendingPathComponent("stubborn-tests-\(randomLetters)")
    }()

    /// Letters only: digits could be those of a secret that a test looks for.
    private static var randomLetters: String { String((0..<20).compactMap { _ in "ABCDEFGHIJKLMNOP".randomElement() }) }

    init() {
        url = Self.parent.appendingPathComponent("stubs-\(Self.randomLetters)")
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// The files in the directory and below it, and the directories that are empty, sorted.
    var contents: [String] {
        let paths = ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).sorted()
        return paths.filter { path in !paths.contains { $0.hasPrefix("\(path)/") } }
    }

    /// Writes a file, making the directory.
    func write(_ text: String, to name: String) throws {
        let file = file(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: file)
    }

    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: file(name)), as: UTF8.self)
    }
}

extension URLResponse {
    var status: Int? { (self as? HTTPURLResponse)?.statusCode }

    func field(_ name: String) -> String? {
        (self as? HTTPURLResponse)?.value(forHTTPHeaderField: name)
    }
}
