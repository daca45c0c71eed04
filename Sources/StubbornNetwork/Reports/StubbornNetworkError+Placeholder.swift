import Foundation

extension StubbornNetworkError {
    /// Returns the error for a live request that contains a placeholder of a secret.
    ///
    /// - Parameters:
    ///   - request: the request, which is not sent.
    ///   - found: the placeholder.
    ///   - origin: the recorded stub whose response contains the placeholder; `nil` if there is none.
    ///   - file: the stub file.
    ///   - command: the shell command that records the test anew.
    /// - Returns: the error.
    static func placeholderInRequest(
        _ request: StubRequest,
        _ found: PlaceholderSearch.Found,
        origin: StubSummary?,
        file: URL?,
        command: String
    ) -> Self {
        let source = origin.map { stub in
            let location = stub.location(in: file).map { " (\($0))" } ?? ""
            return "It is from stub \(stub.position), \(stub.request.method) \(name(stub.request.url))\(location)."
        }
        return Self(
            .placeholderInRequest,
            """
            \(request.method) \(name(request.url)) was not sent to the real server: its \(found.part.cut()) contains \
            \(found.text.cut()), which takes the place of a secret in a recording. \
            \(source ?? "No stub of this network contains it: the code under test has kept it from an earlier run.")
            To record the test anew:  \(command)
            """,
            url: request.url,
            file: file
        )
    }
}
