/// A stub that no request used.
///
///     No request used stub 3, GET https://api.example.com/users?page=1 (Stubs/UserList.json:42).
///     To remove it:  STUB_RECORD_MODE=recording swift test --filter UserTests.list
///
/// If it was meant for a request that no stub answers, the report on that request shows it as the closest stub. Secrets
/// are redacted, and long strings are truncated.
package struct UnusedStubReport: Sendable, CustomStringConvertible {
    /// A Boolean value that indicates whether the stub is declared in code; a recorded one is not.
    package let isDeclared: Bool
    /// The stub, its file and line, and the ways to remove it; none for a stub recorded in memory.
    package let description: String

    /// Creates the report on a stub; `removal` lists the ways to remove it; `nil` means with an editor.
    init(
        _ stub: String,
        at location: String?,
        _ redactor: Redactor,
        isDeclared: Bool = false,
        removal: [UnstubbedRequestReport.Fix]? = nil
    ) {
        self.isDeclared = isDeclared
        let location = location?.shortenedPath
        let first = "No request used \(redactor.redact(text: stub).cut(to: 512))\(location.map { " (\($0))" } ?? "")."
        let fixes = location.map { removal ?? [.init(purpose: "To remove it", code: "delete it at \($0)")] } ?? []
        description = ([first] + fixes.lines).joined(separator: "\n")
    }
}
