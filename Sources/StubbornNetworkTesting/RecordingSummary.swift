import Foundation
@_spi(Tools) import StubbornNetwork

/// The stub files that the tests of a process recorded, for one message at its end.
///
///     The tests recorded 41 exchanges into 23 stub files; of the stubs, 12 stayed, 29 were written, 3 were removed.
///     Statuses: 20 of 200, 21 of 403. 21 of 23 files have only 403.
///     Review the files, commit them, and run again without recording. To let such a test pass, leave `.recorded` out of
///     `failsOn:`.
///     Add this to the test target in Package.swift:  exclude: ["Stubs"]
struct RecordingSummary: Sendable {
    /// A stub file that was recorded.
    private struct File {
        var exchangeCount = 0
        /// The identities of its stubs before the run; `nil` if another process has recorded it.
        let before: [UInt64]?
    }

    private var files: [URL: File] = [:]
    /// The settings files, and the directories of the stub files that they apply to.
    private var settings: [URL: (settings: StubDirectorySettings, directories: Set<URL>)] = [:]

    /// The summary of this process, which is written when the process exits.
    static let ofProcess: Lock<RecordingSummary> = {
        Run.atEnd {
            let text = ofProcess.withLock { $0.text() }
            if !text.isEmpty { StandardError.write(text) }
        }
        return Lock(RecordingSummary())
    }()

    /// Adds exchanges that were recorded into a file, and the identities of the stubs that it had before the run.
    mutating func note(_ exchangeCount: Int, in file: URL, before: [UInt64]?) {
        files[file, default: File(before: before)].exchangeCount += exchangeCount
    }

    /// Adds a stub file that a test records or plays, and the settings that apply to it.
    mutating func note(_ settings: StubDirectorySettings, of file: URL) {
        guard let source = settings.file else { return }
        self.settings[source, default: (settings, [])].directories.insert(file.deletingLastPathComponent())
    }

    /// Returns the summary of the files as they are now; empty if nothing was recorded.
    ///
    /// If only some tests run, others may record the members that settings list.
    func text(runsSomeTests: Bool = EnvironmentSettings.runsSomeTests) -> String {
        guard !files.isEmpty else { return "" }
        let exchangeCount = files.values.reduce(0) { $0 + $1.exchangeCount }
        var (stayed, written, removed) = (0, 0, 0)
        var statuses: [String: Int] = [:]
        var filesWithOnly: [String: Int] = [:]
        for (url, file) in files {
            let entries = (try? StubFileStore(file: url).read())?.entries ?? []
            if let before = file.before {
                let new = entries.map(\.identity).removing(before)
                written += new.count
                stayed += entries.count - new.count
                removed += max(0, before.count - entries.count)
            }
            let ofFile = Dictionary(entries.compactMap(\.stub.outcome).map { ($0, 1) }, uniquingKeysWith: +)
            statuses.merge(ofFile, uniquingKeysWith: +)
            if let only = ofFile.keys.first, ofFile.count == 1, !only.hasPrefix("2") {
                filesWithOnly[only, default: 0] += 1
            }
        }
        let changes = [(stayed, "stayed"), (written, "were written"), (removed, "were removed")].filter { $0.0 > 0 }
        let counts = changes.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let list = statuses.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
        let only = filesWithOnly.sorted { $0.key < $1.key }.map { status, count in
            " \(count) of \(files.count.counting("file")) \(count == 1 ? "has" : "have") only \(status)."
        }
        let place = "\(exchangeCount.counting("exchange")) into \(files.count.counting("stub file"))"
        var lines = [
            "The tests recorded \(place)\(counts.isEmpty ? "" : "; of the stubs, \(counts)").",
            "Statuses: \(list).\(only.joined())",
            """
            Review the files, commit them, and run again without recording. To let such a test pass, leave `.recorded` \
            out of `failsOn:`.
            """,
        ]
        for path in Set(files.keys.compactMap(Self.pathToExclude)).sorted() {
            lines.append("Add this to the test target in Package.swift:  exclude: [\(path.quoted())]")
        }
        if !runsSomeTests {
            lines += settings.sorted { $0.key.path < $1.key.path }
                .flatMap { $0.value.settings.unmatchedKeyPaths(in: $0.value.directories) }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the stub directory as a target excludes it, such as `Stubs`; `nil` if the manifest excludes it, and
    /// outside of a target.
    private static func pathToExclude(of file: URL) -> String? {
        let directory = file.deletingLastPathComponent().standardizedFileURL.path
        let root = FileSystem.directories(from: directory).first { FileSystem.exists("\($0)/Package.swift") }
        guard let root, let manifest = try? String(contentsOfFile: "\(root)/Package.swift", encoding: .utf8) else {
            return nil
        }
        // A target is `Tests/AppTests`, unless the manifest gives it a different path.
        let names = directory.dropFirst(root.count + 1).split(separator: "/")
        let paths = names.indices.dropFirst(2).map { names[2...$0].joined(separator: "/") }
        guard names.first == "Tests", !paths.contains(where: { manifest.contains("\"\($0)\"") }) else { return nil }
        return paths.last
    }
}

extension StubbornNetwork {
    /// Adds the test's recordings, and the settings of its directory, to the summary that this process writes at its end.
    func addToSummary(_ report: RecordingReport) {
        guard let stubFile else { return }
        let (directory, before) = (engine.settings.current.settings.directory, identitiesBeforeRecording)
        RecordingSummary.ofProcess.withLock { summary in
            summary.note(directory, of: stubFile)
            if !report.recorded.isEmpty { summary.note(report.recorded.count, in: stubFile, before: before) }
        }
    }
}

extension Stub {
    /// The status, or that it is an error; `nil` for a value that a test made.
    fileprivate var outcome: String? {
        if valueName != nil { return nil }
        return response.head.map { "\($0.statusCode)" } ?? "no response"
    }
}

extension StubDirectorySettings {
    /// Returns a line for each key path in the settings that leads to no member of a body in the stub files of some
    /// directories.
    fileprivate func unmatchedKeyPaths(in directories: Set<URL>) -> [String] {
        let named = [List.volatileJSONKeys, .ignoredJSONKeys].flatMap { list in
            self[list].map { (list: list.rawValue, path: $0) }
        }
        guard let file, !named.isEmpty else { return [] }
        let files = directories.flatMap { directory in
            ((try? FileSystem.names(in: directory.path)) ?? []).filter { $0.hasSuffix(".json") }
                .map { directory.appendingPathComponent($0) }
        }
        // One file after the other, because together they may be large.
        let stubs = files.lazy.flatMap { (try? StubFileStore(file: $0).read())?.entries ?? [] }.map(\.stub)
        let unmatched = NormalFormReader.unmatched(named.map(\.path), in: stubs)
        return named.filter { unmatched.contains($0.path) }.map { list, path in
            """
            \(list) lists \(path.quoted()), but no recorded body has a member at this path. A key path begins at the top \
            level of the body, and leaves out the indexes of lists: write `results.duration` for `results[0].duration`. \
            Correct or remove the path in \(file.relativeDisplayPath).
            """
        }
    }
}
