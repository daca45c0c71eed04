import Foundation
import StubbornNetwork

/// A call of `assertRequests`, which compares the requests of a network with a snapshot file, or writes the file.
struct SnapshotAssertion {
    /// The snapshot file: `RequestSnapshot/<Class>/<test>.json` next to the test's file.
    let file: URL

    private let testFile: String
    private let line: Int
    /// The test for `swift test --filter`; `nil` when it is not known.
    private let filter: String?
    private let recording: Bool
    private let inAnyOrder: Bool

    init(
        at testFile: String,
        line: Int,
        test: TestName?,
        function: String = "",
        named name: String? = nil,
        recording: Bool = false,
        inAnyOrder: Bool = false
    ) {
        (self.testFile, self.line, self.recording, self.inAnyOrder) = (testFile, line, recording, inAnyOrder)
        filter = test?.filter
        let url = URL(fileURLWithPath: testFile)
        var suite = test.map { Array($0.path.dropLast()) } ?? []
        if suite.isEmpty { suite = [String(url.lastPathComponent.prefix { $0 != "." })] }
        let names = test.map { Array($0.path.suffix(1)) + $0.arguments } ?? [String(function.prefix { $0 != "(" })]
        func fileName(_ words: [String]) -> String {
            StubFileLocation.fileName(for: words.joined(separator: "_")) ?? "_"
        }
        file = url.deletingLastPathComponent().appendingPathComponent("RequestSnapshot")
            .appendingPathComponent(fileName(suite))
            .appendingPathComponent("\(fileName(name.map { [$0] } ?? names)).json")
    }

    /// Returns the failure of the test; `nil` when the requests equal those in the snapshot.
    func failure(of network: StubbornNetwork) -> String? {
        let mode: RecordMode
        do {
            mode = try network.engine.environment.snapshotMode(requested: recording ? .recording : .recordingOnce)
        } catch {
            return "\(error)"
        }
        let requests = network.redactedRequests
        let exists = FileManager.default.fileExists(atPath: file.path)
        if mode == .recording || mode == .recordingOnce && !exists {
            return record(snapshot(requests, of: network), again: mode == .recording)
        }
        guard exists else {
            return """
                There is no request snapshot at \(file.relativeDisplayPath), and none was recorded, because CI is set.
                \(advice(to: "record it", isRunByXcode: network.engine.environment.isRunByXcode))
                """
        }
        do {
            // The placeholder of a different secret may have a different form.
            let expected = try RequestSnapshot.requests(in: Data(contentsOf: file)).map(\.nameless)
            let (old, new) = (snapshot(expected, of: network), snapshot(requests.map(\.nameless), of: network))
            return failure(SnapshotDifference(expected: old, actual: new), of: network)
        } catch {
            return """
                \(file.relativeDisplayPath) is not a request snapshot: \(error). Correct it, or delete it and run again to \
                record it.
                """
        }
    }

    private func snapshot(_ requests: [StubRequest], of network: StubbornNetwork) -> RequestSnapshot {
        RequestSnapshot(requests, without: network.volatileHeaderFields, inAnyOrder: inAnyOrder)
    }

    private func failure(_ difference: SnapshotDifference, of network: StubbornNetwork) -> String? {
        guard !difference.lines.isEmpty else { return nil }
        var lines = ["The requests differ from those in \(file.relativeDisplayPath):"]
        lines += difference.lines.map { "  \($0)" }
        lines.append(advice(to: "accept them", isRunByXcode: network.engine.environment.isRunByXcode))
        if !difference.changedHeaders.isEmpty {
            let names = difference.changedHeaders.map { $0.quoted() }.joined(separator: ", ")
            let fields = "\(network.engine.test.withLock { $0.target.network }).volatileHeaderFields"
            lines.append("To leave out fields that differ in each run:  \(fields) = \(fields).including(\(names))")
        }
        return lines.joined(separator: "\n")
    }

    private func record(_ snapshot: RequestSnapshot, again: Bool) -> String {
        do {
            let directory = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try snapshot.rendered.write(to: file, options: .atomic)
        } catch {
            return "\(file.relativeDisplayPath) cannot be written: \(error.localizedDescription)"
        }
        let count = snapshot.entries.count
        let cause = !again ? "" : recording ? " without recording: true" : " without STUB_SNAPSHOTS"
        return """
            \(count == 1 ? "1 request was" : "\(count) requests were") recorded into \(file.relativeDisplayPath). Review \
            the file, commit it, and run again\(cause).
            """
    }

    /// Returns the ways to record the snapshot again: a command, or the variable to set if Xcode runs the test, and the
    /// argument to add to the call.
    private func advice(to purpose: String, isRunByXcode: Bool) -> String {
        let variable = "STUB_SNAPSHOTS=recording"
        let ways =
            isRunByXcode
            ? [UnstubbedRequestReport.Fix].inXcode("To \(purpose)", variable).lines
            : filter.map { ["To \(purpose):  \(variable) swift test --filter \($0.quotedForShell)"] } ?? []
        let call = "add to the call at \((testFile as NSString).lastPathComponent):\(line):  recording: true"
        return (ways + ["\(ways.isEmpty ? "To \(purpose)," : "Or") \(call)"]).joined(separator: "\n")
    }
}
