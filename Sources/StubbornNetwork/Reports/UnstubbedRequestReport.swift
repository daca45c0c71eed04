import Foundation

/// Why no stub answered a request, and what to do about it.
///
///     network.onUnstubbedRequest = { report in log(report.description) }
///
/// Secrets are redacted by the network's rules, values are cut at 256 bytes, the whole text at 4096; the fixes are never
/// cut off. `jsonString` is the same for programs.
public struct UnstubbedRequestReport: Sendable, CustomStringConvertible {
    /// The cause, as far as it can be told from the stubs.
    public enum Cause: String, Sendable, Hashable {
        /// There is no stub file, and nothing is declared.
        case noStubFile = "no stub file"
        /// There is a stub file without a stub in it, and nothing is declared.
        case emptyFile = "empty stub file"
        /// There are no stubs at all, in a network that keeps them in memory.
        case noStubs = "no stubs"
        /// No stub is for a request to this path, whatever the host.
        case nothingForThisPath = "nothing for this path"
        /// Stubs of this request are there, and all of them are used up.
        case usedUp = "used up"
        /// There are stubs for this path, and something else of the request differs.
        case differs = "no stub matches"
        /// Several interceptions of `URLSession.shared` are in force, and nothing says to which of them the request belongs.
        /// No network is asked then, so that this cause is in the report of the error alone
        /// (`StubbornNetworkError.report`).
        case ambiguous = "ambiguous"
    }

    /// Something to do about it: a line to paste.
    public struct Fix: Sendable, Hashable {
        /// What it is for: `To ignore it`.
        public let purpose: String
        /// Swift, or a command for the shell.
        public let code: String
    }

    public let cause: Cause

    /// Method and URL.
    public let request: String

    public let mode: RecordMode

    /// The stub file; `nil` for stubs in memory.
    public let file: URL?

    /// How many stubs there are, recorded and declared.
    public let stubCount: Int

    /// How many recorded stubs are for the request's path, on any host.
    public let pathStubCount: Int

    /// How many of those for the request's path have answered already.
    public let usedPathStubCount: Int

    /// The recorded stubs that match and are used up, as `stub 3 (Stubs/Login.json:42)`, and the declared ones; the first
    /// eight.
    public let usedUp: [String]

    /// The recorded stub that comes closest, as `stub 3, GET https://api.example.com/users?page=1`.
    public let nearest: String?

    /// Where that stub stands: `Stubs/Login.json:42`; `nil` in memory.
    public let position: String?

    /// Whether that stub has answered no request: it may well be this one's.
    public let isNearestUnused: Bool

    /// What differs between the request and the nearest stub, a line each.
    public let differences: [String]

    /// The options that would make the nearest stub answer, as code.
    public let ignoringOptions: [String]

    /// The declared stub that comes closest, as `POST /login at LoginTests.swift:12`.
    public let nearestDeclared: String?

    /// Which conditions of that stub do not hold, a line each.
    public let declaredDifferences: [String]

    /// What was in force, and where each of it was set.
    public let settings: Settings

    /// What to do about it, the likeliest first.
    public let fixes: [Fix]

    /// What was in force for a request, as code, and where it was set.
    public struct Settings: Sendable, Hashable {
        /// `[.httpMethod, .url, .requestBody]`
        public let matchers: String
        /// `default`, `set in code`, `set by .stubbed(matching:) at LoginTests.swift:12`.
        public let matchersSource: String
        /// `.sequenceThenLast`
        public let order: String
        public let orderSource: String
        /// Of the record mode: `set by STUB_RECORD_MODE`.
        public let modeSource: String
    }

    /// The interceptions of `URLSession.shared` that are in force, where that is the cause.
    var interceptions: [String] = []

    /// The whole diagnosis: what happened, what came close, what to do now. At most 4096 bytes.
    public var description: String { UnstubbedRequestText(self).text }
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
        var error = Self(
            report.cause == .noStubFile ? .stubFileNotFound : .unstubbedRequest,
            report.description,
            url: url,
            file: report.file
        )
        error.storedReport = Boxed(report)
        return error
    }
}
