import Foundation
import StubbornNetwork

/// An assertion that compares the requests of a network with a snapshot file, or writes the file.
struct SnapshotAssertion {
    /// The snapshot file: `RequestSnapshot/<Class>/<test>.json` beside the test's file.
    let file: URL

    let call: SnapshotCall

    /// Creates the assertion of a test.
    ///
    /// - Parameters:
    ///   - call: the call in the test's file.
    ///   - suite: the test's class or suite, which names the directory.
    ///   - name: the test's name, which names the file.
    init(_ call: SnapshotCall, suite: String, name: String) {
        self.call = call
        file = URL(fileURLWithPath: call.file).deletingLastPathComponent()
            .appendingPathComponent("RequestSnapshot", isDirectory: true)
            .appendingPathComponent(Self.fileName(suite), isDirectory: true)
            .appendingPathComponent(Self.fileName(name) + ".json")
    }

    /// Returns the failure of the test; `nil` when the requests equal those in the snapshot.
    func failure(of network: StubbornNetwork) -> String? {
        let mode: RecordMode
        do {
            mode = try network.snapshotMode(requested: call.recording ? .recording : .recordingOnce)
        } catch {
            return "\(error)"
        }
        let requests = network.redactedRequests
        let exists = FileManager.default.fileExists(atPath: file.path)
        if mode == .recording || mode == .recordingOnce && !exists {
            return record(snapshot(requests, of: network), anew: mode == .recording)
        }
        guard exists else {
            return """
                There is no request snapshot at \(file.relativeDisplayPath), and none was recorded, because CI is set.
                \(call.advice(to: "record it", isRunByXcode: network.isRunByXcode))
                """
        }
        do {
            // The placeholder of another secret may have another form.
            let matchingForm = network.redaction.matchingForm
            let expected = try RequestSnapshot.requests(in: Data(contentsOf: file)).map(matchingForm)
            return failure(
                SnapshotDifference(
                    expected: snapshot(expected, of: network),
                    actual: snapshot(requests.map(matchingForm), of: network)
                ),
                of: network
            )
        } catch {
            return """
                \(file.relativeDisplayPath) is not a request snapshot: \(error). Correct it, or delete it and run again to \
                record it.
                """
        }
    }

    private func snapshot(_ requests: [StubRequest], of network: StubbornNetwork) -> RequestSnapshot {
        RequestSnapshot(requests, without: network.volatileHeaderFields, inAnyOrder: call.inAnyOrder)
    }

    private func failure(_ difference: SnapshotDifference, of network: StubbornNetwork) -> String? {
        guard !difference.lines.isEmpty else { return nil }
        var lines = ["The requests differ from those in \(file.relativeDisplayPath):"]
        lines += difference.lines.map { "  \($0)" }
        lines.append(call.advice(to: "accept them", isRunByXcode: network.isRunByXcode))
        if !difference.changedHeaders.isEmpty { lines.append(call.advice(toLeaveOut: difference.changedHeaders)) }
        return lines.joined(separator: "\n")
    }

    private func record(_ snapshot: RequestSnapshot, anew: Bool) -> String {
        do {
            let directory = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try snapshot.rendered.write(to: file, options: .atomic)
        } catch {
            return "\(file.relativeDisplayPath) cannot be written: \(error.localizedDescription)"
        }
        let count = snapshot.entries.count
        let cause = !anew ? "" : call.recording ? " without recording: true" : " without STUB_SNAPSHOTS"
        return """
            \(count == 1 ? "1 request was" : "\(count) requests were") recorded into \(file.relativeDisplayPath). Review \
            the file, commit it, and run again\(cause).
            """
    }

    private static func fileName(_ name: String) -> String {
        StubbornNetworkConfiguration.fileName(for: name) ?? "_"
    }
}
