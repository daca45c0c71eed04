import Foundation

/// The diagnosis of a request that no stub answered: the cause, what came close, and the ways out.
///
///     network.onUnstubbedRequest = { report in log(report.description) }
///
/// Secrets are redacted by the network's rules. Values are cut at 256 bytes and the whole text at 4096; the fixes are
/// always complete. `jsonString` holds the same for programs.
public struct UnstubbedRequestReport: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The cause, as far as the stubs show it.
    public enum Cause: String, Sendable, Hashable, Codable {
        /// The stub directory does not exist, and nothing is declared.
        case noStubDirectory = "no stub directory"
        /// The stub file does not exist, and nothing is declared.
        case noStubFile = "no stub file"
        /// The stub file holds no stubs, and nothing is declared.
        case emptyFile = "empty stub file"
        /// The network keeps its stubs in memory and has none.
        case noStubs = "no stubs"
        /// No stub is for the request's path, on any host.
        case nothingForThisPath = "nothing for this path"
        /// Stubs match the request, and all of them are used up.
        case usedUp = "used up"
        /// The client cancelled the request when it was recorded, and now it did not.
        case notCancelled = "not cancelled"
        /// Stubs are for the request's path, and differ from it in something else.
        case differs = "no stub matches"
        /// Several networks intercept `URLSession.shared`, and none of them is known to be the one that the request is
        /// for.
        ///
        /// No network is asked, so only the error's `report` has this cause; `onUnstubbedRequest` never gets it.
        case ambiguous = "ambiguous"
    }

    /// One way out: a line to paste.
    public struct Fix: Sendable, Hashable, Codable {
        /// The purpose of the line: `To ignore it`.
        public let purpose: String
        /// Swift code, or a command for the shell.
        public let code: String
    }

    /// The stub that comes closest to the request.
    public struct NearestStub: Sendable, Hashable, Codable {
        /// The stub: `stub 3, GET https://api.example.com/users?page=1`; a declared one by its pattern, `POST /login`.
        public let stub: String
        /// The file and line of the stub: `Stubs/Login.json:42`, `LoginTests.swift:12`; `nil` for a stub recorded in
        /// memory.
        public let location: String?
        /// A Boolean value that indicates whether no request has asked for the stub, which may be meant for this one.
        package let isUnused: Bool
        /// The differences between the request and the stub, one line each.
        public let differences: [String]

        private enum CodingKeys: String, CodingKey {
            case stub, location, differences
            case isUnused = "unused"
        }
    }

    /// A setting in force.
    package struct Setting<Value: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
        /// The value.
        package let value: Value
        /// The origin: `default`, `set in code`, `set by STUB_RECORD_MODE`, `set by .stubbed(matching:) at LoginTests.swift:12`.
        package let origin: String
    }

    /// The settings by which stubs were looked for.
    package struct Settings: Sendable, Hashable, Codable {
        /// The record mode.
        package internal(set) var mode = Setting(value: RecordMode.playback, origin: "")
        /// The matchers, as code: `[.httpMethod, .url, .requestBody]`.
        ///
        /// They are a text because a matcher of your own is a function, which a report cannot have.
        package internal(set) var matchers = Setting(value: "", origin: "")
        /// The playback order.
        package internal(set) var order = Setting(value: PlaybackOrder.sequenceThenLast, origin: "")
        /// The encoding of bodies in the stub file.
        package internal(set) var bodyEncoding = Setting(value: BodyEncoding.base64, origin: "")
        /// The origin of the rules for secrets.
        package internal(set) var redactionOrigin = ""
    }

    /// The cause, as far as the stubs show it.
    public let cause: Cause
    /// The request's method and URL.
    public let request: String
    /// The settings by which stubs were looked for.
    package internal(set) var settings = Settings()
    /// The path of the stub file, relative to the current directory for a file inside it; `nil` for stubs in memory.
    public internal(set) var file: String?
    /// The paths of the stub files that the network shares, like `file`; `nil` without any.
    package internal(set) var sharedFiles: [String]?
    /// The number of stubs, recorded and declared.
    package internal(set) var stubCount = 0
    /// The number of recorded stubs for the request's path, on any host.
    package internal(set) var pathStubCount = 0
    /// The number of recorded stubs for the request's path that have answered already.
    package internal(set) var usedPathStubCount = 0

    /// At most eight stubs that match and are used up, recorded ones as `stub 3 (Stubs/Login.json:42)` before declared
    /// ones, and a line that counts the others.
    package internal(set) var usedUp: [String] = []
    /// The recorded stub that comes closest.
    public internal(set) var nearest: NearestStub?
    /// The declared stub that comes closest.
    package internal(set) var nearestDeclared: NearestStub?
    /// The ways out, the likeliest first.
    public internal(set) var fixes: [Fix] = []
    /// The interceptions of `URLSession.shared` in force, for the cause `ambiguous`; empty for any other.
    var interceptions: [String] = []

    private enum CodingKeys: String, CodingKey {
        case cause, request, settings, file, sharedFiles, usedUp, nearest, nearestDeclared, fixes, interceptions
        case stubCount = "stubs"
        case pathStubCount = "stubsForThisPath"
        case usedPathStubCount = "usedStubsForThisPath"
    }

    /// The report as one JSON object, keys sorted.
    ///
    /// The keys are the names of the properties, but for `stubs`, `stubsForThisPath`, `usedStubsForThisPath` and
    /// `unused`. A key without a value is left out. Keys keep their names; new ones may be added.
    public var jsonString: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
