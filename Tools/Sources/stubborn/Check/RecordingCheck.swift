import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The checks of stub files: one after the other, with the problems found so far.
struct RecordingCheck {
    /// The options of a check.
    struct Rules {
        var ignored: Set<Problem.Kind> = []
        /// The largest length of a body in bytes.
        var maximumBodyByteCount = 1_000_000
        /// The oldest date that a recording may have; `nil` for any.
        var oldestDate: Date?
        /// The stubs that the tests asked for; `nil` if that is not known.
        var usage: RunUsage?
        /// The OpenAPI document that the recordings are compared with; `nil` for none.
        var contract: RecordingContract?
    }

    let rules: Rules
    private(set) var problems: [Problem] = []
    private(set) var fileCount = 0
    private(set) var stubCount = 0

    /// The settings of the directories seen so far; `nil` for an invalid file, which is a problem already.
    private var directories: [String: StubDirectoryRules?] = [:]

    init(_ rules: Rules) {
        self.rules = rules
    }

    /// Checks files, and the journals next to them.
    ///
    /// - Parameters:
    ///   - files: The files, which may not be stub files.
    ///   - date: Returns the date of the last change of a file without dates in its stubs; `nil` if it is not known.
    mutating func check(_ files: [FoundFile], date: (FoundFile) -> Date?) {
        var stubFiles: [FoundFile] = []
        for found in files {
            var recordedAt: Date?
            do {
                guard let file = try found.read() else { continue }
                stubFiles.append(found)
                recordedAt = file.stubs.compactMap(\.recordedAt).max()
                check(file, found)
            } catch {
                stubFiles.append(found)
                add(.unreadableFile, found, (error as? StubbornNetworkError)?.description ?? error.localizedDescription)
            }
            guard let oldest = rules.oldestDate, let date = recordedAt ?? date(found), date < oldest else { continue }
            add(
                .oldRecording,
                found,
                "Last recorded on \(date.day). Record it again, or check it with stubborn verify."
            )
        }
        fileCount = stubFiles.count
        checkNames(stubFiles)
    }

    private mutating func add(
        _ kind: Problem.Kind,
        _ found: FoundFile,
        line: Int? = nil,
        stub: Int? = nil,
        _ message: String
    ) {
        guard !rules.ignored.contains(kind), !allows(kind, found, stub: stub) else { return }
        problems.append(Problem(kind: kind, file: found.path, line: line, stub: stub, message: message))
    }

    /// Returns a Boolean value that indicates whether the settings of a file's directory allow a problem.
    private mutating func allows(_ kind: Problem.Kind, _ found: FoundFile, stub: Int?) -> Bool {
        // Settings that cannot be read allow nothing.
        guard kind != .invalidSettings, let directory = directory(of: found) else { return false }
        return directory.allows(kind.rawValue, in: found.url, stub: stub)
    }

    // MARK: A stub file

    private mutating func check(_ file: StubFile, _ found: FoundFile) {
        let directory = directory(of: found)
        let stubs = file.stubs
        stubCount += stubs.count
        let unused = rules.usage?.unusedPositions(in: found) ?? []
        if let usage = rules.usage, !usage.includes(found) {
            add(
                .unusedFile,
                found,
                "No test of the run used this file. Run the test that it belongs to. If that test is gone, stubborn prune "
                    + "removes the file."
            )
        }
        // A report is often public, so it shows stubs without their secrets.
        let redacted = directory?.redacted(stubs).stubs ?? stubs
        for (index, stub) in stubs.enumerated() {
            let hasSecret = stub != redacted[index] && !rules.ignored.contains(.secret)
            let secrets = hasSecret ? directory?.redacted([stub]).report.replacements ?? [] : []
            let faults = faults(of: stub, hasSecret, secrets, directory, isUnused: unused.contains(index + 1))
            // The value of a secret is neither compared with the document nor shown.
            let breaches = rules.contract?.faults(of: redacted[index], directory) ?? []
            guard !faults.isEmpty || !breaches.isEmpty else { continue }
            let line = file.line(ofStubAt: index)
            let name = redacted[index].name
            let all = breaches.map { ($0.kind, $0.message) } + faults.map { ($0.kind, "\(name): \($0.message)") }
            for (kind, message) in all {
                add(kind, found, line: line, stub: index + 1, "Stub \(index + 1), \(message)")
            }
        }
    }

    private func faults(
        of stub: Stub,
        _ hasSecret: Bool,
        _ secrets: [RedactionReport.Replacement],
        _ directory: StubDirectoryRules?,
        isUnused: Bool
    ) -> [(kind: Problem.Kind, message: String)] {
        var faults: [(kind: Problem.Kind, message: String)] = []
        var found = Set(secrets.map { "\($0.part) (\($0.rule))" })
        if found.isEmpty, !rules.ignored.contains(.secret), let secret = directory?.secret(in: stub) {
            found = ["\(secret.part) (\(secret.rule))"]
        }
        if found.isEmpty, hasSecret {
            found = ["stub, because another stub of the file has the same value in place of a secret"]
        }
        func add(_ kind: Problem.Kind, _ message: String) { faults.append((kind, message)) }
        for secret in found.sorted() {
            add(
                .secret,
                "a value that looks like a secret is in the \(secret). Replace it with stubborn redact. If it was committed, "
                    + "revoke it."
            )
        }
        if isUnused {
            add(.unusedStub, "no request of the run used it. If the run included all tests, stubborn prune removes it.")
        }
        let advice = "Record again when the server answers, or list the file under \"allowed\" in .stubborn.json."
        if let failure = stub.response.failure, !failure.isCancellation {
            add(.recordedError, "the error \(failure.domain) \(failure.code) was recorded. \(advice)")
        } else if let status = stub.response.head?.statusCode, status >= 500 {
            add(.recordedError, "the status \(status) was recorded. \(advice)")
        }
        for (name, body) in [("request", stub.request.body), ("response", stub.response.body)] {
            guard let count = body?.count, count > rules.maximumBodyByteCount else { continue }
            let limit = ByteCount(rules.maximumBodyByteCount)
            add(
                .largeBody,
                "the body of the \(name) has \(ByteCount(count)), more than \(limit). Ask the server for less, or allow more "
                    + "with --max-body."
            )
        }
        return faults
    }

    /// Returns the settings of a file's directory; `nil`, once with a problem, if they are invalid.
    private mutating func directory(of found: FoundFile) -> StubDirectoryRules? {
        let url = found.url.deletingLastPathComponent()
        if let known = directories[url.path] { return known }
        var directory: StubDirectoryRules?
        do {
            directory = try StubDirectoryRules(for: url)
        } catch {
            let message = (error as? StubbornNetworkError)?.description ?? error.localizedDescription
            if !problems.contains(where: { $0.message == message }) { add(.invalidSettings, found, message) }
        }
        directories[url.path] = .some(directory)
        return directory
    }

    // MARK: A directory

    private mutating func checkNames(_ files: [FoundFile]) {
        for files in Dictionary(grouping: files, by: { $0.path.lowercased() }).values where files.count > 1 {
            let files = files.sorted { $0.path < $1.path }
            for file in files.dropFirst() {
                add(
                    .sameName,
                    file,
                    "The name differs from \(files[0].path) only in case. Rename one with stubborn rename."
                )
            }
        }
    }

    /// Reports the journals in directories, even if their stub file was never written, and the journals next to files
    /// that were passed to the command.
    mutating func checkJournals(in paths: [String], beside files: [FoundFile]) {
        let journals = paths.filter(\.isDirectory).flatMap { (try? FoundFile.contents(below: $0)) ?? [] }
            .flatMap { directory, names in
                names.filter { $0.hasPrefix(".") && $0.hasSuffix(".journal") }.map { directory.directoryPrefix + $0 }
            }
        let found = Set(journals + files.filter(\.isNamed).flatMap(\.journals))
        for path in found.sorted() {
            let name = (path as NSString).lastPathComponent
            // `.Login.json.journal` is next to `Login.json`.
            let owner = name.dropFirst().components(separatedBy: ".json.")[0] + ".json"
            let message =
                name.hasSuffix(".damaged.journal")
                ? "A part of an interrupted recording could not be read, and was kept here. Record the missing exchanges again, "
                    + "then delete this journal."
                : "An interrupted recording left a journal. Run the test once, which adds the journal to \(owner)."
            add(.leftoverJournal, FoundFile(path: path, isNamed: true, journals: []), message)
        }
    }
}

extension Stub {
    /// The method, the URL and the GraphQL operations, cut to a length that fits on a line.
    fileprivate var name: String {
        let text = "\(request)"
        return text.count > 120 ? "\(text.prefix(119))…" : text
    }
}

extension StubFailure {
    /// A Boolean value that indicates whether the client cancelled the request, which is not a fault of the server.
    var isCancellation: Bool { domain == NSURLErrorDomain && code == URLError.Code.cancelled.rawValue }
}

extension Date {
    /// The day in UTC: `2026-11-21`.
    fileprivate var day: String { String(ISO8601DateFormatter().string(from: self).prefix(10)) }
}
