import Foundation

/// A directory that is removed at the end of its test.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("stubborn-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ path: String) -> URL { url.appendingPathComponent(path) }

    /// Writes a file, and the directories that it is in.
    @discardableResult
    func write(_ text: String, to path: String) throws -> URL {
        let file = file(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: file)
        return file
    }

    /// The text of a file.
    func text(_ path: String) throws -> String { String(decoding: try Data(contentsOf: file(path)), as: UTF8.self) }
}
