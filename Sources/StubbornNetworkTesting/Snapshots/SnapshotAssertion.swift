import Foundation
import StubbornNetwork

/// An assertion that compares the requests of a network with a snapshot file, or writes the file.
struct SnapshotAssertion {
    /// The snapshot file: `RequestSnapshot/<Class>/<test>.json` beside the test's file.
    let file: URL

    /// Creates the assertion of a test.
    ///
    /// - Parameters:
    ///   - testFile: the path of the test's file.
    ///   - suite: the test's class or suite, which names the directory.
    ///   - name: the test's name, which names the file.
    init(beside testFile: String, suite: String, name: String) {
        let directory = URL(fileURLWithPath: (testFile as NSString).deletingLastPathComponent, isDirectory: true)
        file = directory.appendingPathComponent("RequestSnapshot", isDirectory: true)
            .appendingPathComponent(Self.fileName(suite), isDirectory: true)
            .appendingPathComponent(Self.fileName(name) + ".json")
    }

    /// Returns the failure of the test; `nil` when the requests equal those in the snapshot.
    func failure(of network: StubbornNetwork, recording: Bool, inAnyOrder: Bool) -> String? {
        let actual = RequestSnapshot(network.redactedRequests, inAnyOrder: inAnyOrder)
        if recording || !FileManager.default.fileExists(atPath: file.path) { return record(actual) }
        let expected: RequestSnapshot
        do {
            expected = try RequestSnapshot(parsing: Data(contentsOf: file))
        } catch {
            return """
                \(file.relativeDisplayPath) is not a request snapshot: \(error). Correct it, or delete it and run again to \
                record it.
                """
        }
        let lines = SnapshotDifference(expected: expected, actual: actual).lines
        guard !lines.isEmpty else { return nil }
        return """
            The requests differ from those in \(file.relativeDisplayPath):
            \(lines.map { "  \($0)" }.joined(separator: "\n"))
            To accept them:  assertRequests(of: network, recording: true), once
            """
    }

    private func record(_ snapshot: RequestSnapshot) -> String {
        do {
            let directory = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try snapshot.rendered().write(to: file, options: .atomic)
        } catch {
            return "\(file.relativeDisplayPath) cannot be written: \(error.localizedDescription)"
        }
        let count = snapshot.entries.count == 1 ? "1 request" : "\(snapshot.entries.count) requests"
        return "Requests recorded! Set recording to false and run again. (\(count) in \(file.relativeDisplayPath))"
    }

    private static func fileName(_ name: String) -> String {
        StubbornNetworkConfiguration.fileName(for: name) ?? "_"
    }
}
