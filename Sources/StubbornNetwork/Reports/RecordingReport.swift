import Foundation

/// The exchanges that a test has recorded, as the failure of the test lists them.
///
///     3 exchanges were recorded into Stubs/UserTests_list.json, 1 of them an error:
///       GET https://api.example.com/users?page=1: 302, 0 bytes
///       GET https://api.example.com/v2/users?page=1: 200, 512 bytes
///       GET https://api.example.com/users?page=2: api.example.com did not answer, NSURLErrorDomain -1009
package struct RecordingReport: Sendable, CustomStringConvertible {
    package let recorded: [Stub]
    /// The errors that were not stored, because no server has answered or because the file has an earlier response.
    var discarded: [Stub] = []
    /// The number of exchanges that a filter has left out.
    var leftOutCount = 0
    var file: URL?
    /// A Boolean value that indicates whether a build server may have set `CI` although the test cannot see it.
    var mayHideContinuousIntegration = false
    /// The redactor, which may know more secrets than when the exchanges were stored.
    var redactor = Redactor(.none)

    /// The first fifty exchanges, one line each.
    var lines: [String] { recorded.prefix(50).map(text) }

    /// The message with at most 50 exchanges; empty if nothing was recorded.
    package var description: String {
        if recorded.isEmpty { return discarded.isEmpty ? "" : discardedText }
        let errors = recorded.filter(\.response.endsWithError).count
        var lines = [Self.text(recorded.map { text($0).cut(to: 512) }, errors: errors, in: file)]
        if !discarded.isEmpty {
            lines.append("Not recorded, because there was no answer; the file keeps the earlier response:")
            lines += discarded.map { text($0).cut(to: 512) }.listed(upTo: 50).map { "  \($0)" }
        }
        let leftOut = leftOutCount.counting("exchange")
        if leftOutCount > 0 {
            lines.append("Left out by recordingFilter or the stub directory's settings: \(leftOut).")
        }
        if errors > 0 { lines.append(Self.adviceOnErrors) }
        if mayHideContinuousIntegration { lines.append(Self.adviceOnXcodebuild) }
        return lines.joined(separator: "\n")
    }

    /// Returns the list of exchanges, some of them errors.
    static func text(_ exchanges: [String], errors: Int = 0, in file: URL?) -> String {
        let (count, path) = (exchanges.count, file?.relativeDisplayPath ?? "memory")
        let share = errors == 0 ? "" : count == 1 ? ", an error" : ", \(errors) of them an error"
        let title = "\(count == 1 ? "1 exchange was" : "\(count) exchanges were") recorded into \(path)\(share):"
        return ([title] + exchanges.listed(upTo: 50).map { "  \($0)" }).joined(separator: "\n")
    }

    private static let adviceOnErrors = """
        An error is played back as it was recorded. If the server should have answered, record again with \
        STUB_RECORD_MODE=recording.
        """
    private static let adviceOnXcodebuild = """
        xcodebuild does not pass CI on to tests. On a build server, set TEST_RUNNER_CI=1, so that a mode in code \
        does not record.
        """

    /// A Boolean value that indicates whether nothing was stored because no server has answered.
    package var isWithoutAnswer: Bool { recorded.isEmpty && !discarded.isEmpty }

    /// Returns the line of an exchange: `GET https://api.example.com/users?page=1: 200, 512 bytes`.
    ///
    /// The request and the response are redacted one by one: in `…&key=a: 200` the status is not the key's value.
    private func text(_ stub: Stub) -> String {
        if stub.valueName != nil { return "\(stub)" }
        let request = redactor.redact(text: "\(stub.request)")
        if stub.response.waitsToBeCancelled { return "\(request): cancelled by the client" }
        let isAnswered = !stub.response.endsWithError || stub.response.head != nil
        let server = isAnswered ? "" : "\(stub.request.url.server) did not answer, "
        return "\(request): \(server)\(redactor.redact(text: "\(stub.response)"))"
    }

    private var discardedText: String {
        var seen: Set<String> = []
        let servers = discarded.map(\.request.url.server).filter { seen.insert($0).inserted }
        return """
            \(servers.listed(upTo: 8).joined(separator: ", ")) did not answer; nothing was recorded.
            Check that the server runs and that this machine is online, and record again.
            """
    }
}

extension URL {
    /// The host, and the port if the URL has one: `127.0.0.1:8765`.
    fileprivate var server: String {
        let host = (host ?? "").cut()
        let name = host.contains(":") ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }
}
