import Foundation

/// Why no stub answered a request, and what to do about it.
///
///     network.onUnstubbedRequest = { report in log(report.description) }
///
/// Secrets are redacted, texts are bounded.
public struct UnstubbedRequestReport: Sendable, CustomStringConvertible {
    /// The cause, as far as it can be told from the stubs.
    public enum Cause: String, Sendable, Hashable {
        /// There is no stub file, and nothing is declared.
        case noStubFile = "no stub file"
        /// There are no stubs at all.
        case noStubs = "no stubs"
        /// Stubs of this request are there, and all of them are used up.
        case usedUp = "used up"
        /// No stub matches.
        case differs = "no stub matches"
    }

    public let cause: Cause

    /// Method and URL.
    public let request: String

    public let mode: RecordMode

    /// The stub file; `nil` for stubs in memory.
    public let file: URL?

    /// Whether the environment says where stubs are kept.
    let isConfiguredByEnvironment: Bool

    /// How many stubs there are, recorded and declared.
    public let stubCount: Int

    /// What comes closest, as `stub 3, GET https://api.example.com/users?page=1`.
    public let nearest: String?

    /// What differs between the request and the nearest stub, a line each.
    public let differences: [String]

    /// The options that would make the nearest stub answer, as code.
    public let ignoringOptions: [String]

    /// The whole diagnosis: what happened, what came close, what to do now.
    public var description: String {
        var lines = ["\(firstSentence) The network was not touched."]
        if let nearest {
            lines.append("Closest is \(nearest):")
            lines += differences.map { "  \($0)" }
        }
        lines += advice
        return String(lines.joined(separator: "\n").prefix(4096))
    }

    private var firstSentence: String {
        let stubs = stubCount == 1 ? "1 stub" : "\(stubCount) stubs"
        switch cause {
        case .noStubFile:
            let directory = file?.deletingLastPathComponent()
            let isThere = directory.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
            let missing = isThere ? "there is no such file" : "there is no such directory"
            return "No stub answers \(request) (\(mode.rawValue), \(file?.relativeDisplayPath ?? "")): \(missing)."
        case .usedUp:
            return "No stub is left for \(request) (\(place), \(stubs)): all that match are used up."
        case .noStubs, .differs:
            return "No stub answers \(request) (\(place), \(stubs))."
        }
    }

    private var place: String {
        guard let file else { return mode.rawValue }
        return "\(mode.rawValue), \(file.relativeDisplayPath)"
    }

    private var advice: [String] {
        var lines: [String] = []
        if file != nil {
            lines.append("To record it:  run again with STUB_RECORD_MODE=recording-missing")
        } else if isConfiguredByEnvironment {
            lines.append("To play back a stub file:  set STUB_NAME and STUB_PATH, neither of which is set")
        } else {
            let parts = request.split(separator: " ", maxSplits: 1).map(String.init)
            let method = parts.first ?? "GET"
            let url = parts.last ?? ""
            let pattern = method == "GET" ? ".get(\"\(url)\")" : ".url(\"\(url)\") && .method(\"\(method)\")"
            lines.append("To declare it:  network.stub(\(pattern), with: .status(200))")
        }
        if !ignoringOptions.isEmpty {
            lines.append("To ignore it:  \(ignoringOptions.joined(separator: ", "))")
        }
        if cause == .usedUp {
            lines.append("To repeat the last response:  network.playbackOrder = .sequenceThenLast")
        }
        return lines
    }
}

extension URL {
    /// The path from the current directory where it lies inside, else the whole path.
    package var relativeDisplayPath: String {
        let current = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path
    }
}

extension StubbornNetworkError {
    /// The error that an unstubbed request fails with.
    static func unstubbedRequest(_ report: UnstubbedRequestReport, url: URL) -> Self {
        Self(
            report.cause == .noStubFile ? .stubFileNotFound : .unstubbedRequest,
            report.description,
            url: url,
            file: report.file
        )
    }
}
