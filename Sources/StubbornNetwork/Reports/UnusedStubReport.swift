import Foundation

/// A stub that no request used.
///
///     No request used stub 3, GET https://api.example.com/users?page=1 (Stubs/UserList.json:42).
///     To remove it:  STUB_RECORD_MODE=recording swift test --filter UserTests.list
///
/// If it was meant for a request that no stub answers, the report on that request names it as the closest stub. Secrets are
/// redacted, texts are bounded.
package struct UnusedStubReport: Sendable, CustomStringConvertible {
    /// A Boolean value that indicates whether the stub is declared in code; a recorded one is not.
    package let isDeclared: Bool
    /// The stub: `stub 3, GET https://api.example.com/users?page=1`, `declared stub POST /login`.
    package let stub: String
    /// The file and line of the stub: `Stubs/UserList.json:42`, `LoginTests.swift:12`; `nil` for a stub recorded in
    /// memory.
    package let location: String?
    /// The ways to remove the stub; none for one without a line.
    package let fixes: [UnstubbedRequestReport.Fix]

    /// The report as text.
    package var description: String { (["No request used \(name)."] + fixes.lines).joined(separator: "\n") }

    private var name: String {
        stub.cut(to: 512) + (location.map { " (\($0.shortenedPath))" } ?? "")
    }
}

extension UnusedStubReport {
    /// Creates the report on a stub; `removal` has the ways to remove it, `nil` for an editor.
    init(
        _ stub: String,
        at location: String?,
        _ redactor: Redactor,
        isDeclared: Bool = false,
        removal: [UnstubbedRequestReport.Fix]? = nil
    ) {
        self.isDeclared = isDeclared
        self.stub = redactor.redact(text: stub).cut(to: 2_048)
        self.location = location
        fixes =
            location.map { removal ?? [.init(purpose: "To remove it", code: "delete it at \($0.shortenedPath)")] } ?? []
    }
}
