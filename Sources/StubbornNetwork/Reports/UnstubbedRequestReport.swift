import Foundation

/// The diagnosis of a request that no stub answered: the cause, the closest stub, and suggested fixes.
///
///     network.onUnstubbedRequest = { report in log(report.description) }
///
/// Secrets are redacted by the network's rules. Values are cut at 256 bytes and the whole text at 4096; the fixes are
/// always complete. `jsonString` holds the same for programs.
public struct UnstubbedRequestReport: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The cause, as far as the stubs show it.
    package enum Cause: String, Sendable, Hashable, Codable {
        /// The stub file does not exist, and nothing is declared.
        case noStubFile = "no stub file"
        /// The stub file, or the network's memory, has no stubs, and nothing is declared.
        case noStubs = "no stubs"
        /// No stub is for the request's path, on any host.
        case nothingForThisPath = "nothing for this path"
        /// All stubs that match the request are used up.
        case usedUp = "used up"
        /// The client cancelled the request during the recording, but not now.
        case notCancelled = "not cancelled"
        /// There are stubs for the request's path, but they differ in something else.
        case differs = "no stub matches"
        /// Several networks intercept `URLSession.shared`, and none of them is known to be the one that the request is
        /// for.
        ///
        /// Only the error's `report` has this cause, because no network is asked. `onUnstubbedRequest` never gets it.
        case ambiguous = "ambiguous"
    }

    /// A suggested fix: a line to paste.
    package struct Fix: Sendable, Hashable, Codable {
        /// The purpose of the line: `To ignore it`.
        package let purpose: String
        /// Swift code, or a command for the shell.
        package let code: String
    }

    /// The stub that comes closest to the request.
    @_spi(Tools) public struct NearestStub: Sendable, Hashable, Codable {
        /// The stub: `stub 3, GET https://api.example.com/users?page=1`; a declared one by its pattern, `POST /login`.
        public let stub: String
        /// The file and line of the stub: `Stubs/Login.json:42`, `LoginTests.swift:12`; `nil` for a stub recorded in
        /// memory.
        public let location: String?
        /// The differences between the request and the stub, one line each.
        public let differences: [String]
    }

    /// The cause, as far as the stubs show it.
    package let cause: Cause
    /// The request's method and URL.
    public let request: String
    /// The path of the stub file, relative to the current directory for a file inside it; `nil` for stubs in memory.
    public internal(set) var file: String?
    /// The recorded stub that comes closest.
    @_spi(Tools) public internal(set) var nearest: NearestStub?
    /// The suggested fixes, the most likely one first.
    package internal(set) var fixes: [Fix] = []
    /// The whole diagnosis: what happened, which stub comes closest, and what to do now.
    ///
    /// At most 4096 bytes. The first two lines and the fixes are always complete; the lines between them are cut off
    /// where they do not fit.
    public internal(set) var description = ""

    private enum CodingKeys: String, CodingKey {
        case cause, request, file, nearest, fixes
        case description = "text"
    }

    /// The report as one JSON object, keys sorted.
    ///
    /// The keys are `cause`, `request`, `file`, `nearest` (with `stub`, `location` and `differences`), `fixes` (each with
    /// `purpose` and `code`), and `text`, which is the description. A key without a value is left out. Later versions may add
    /// keys, but keep these.
    public var jsonString: String {
        let data = try? JSONEncoder.sortingKeys(.prettyPrinted).encode(self)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
