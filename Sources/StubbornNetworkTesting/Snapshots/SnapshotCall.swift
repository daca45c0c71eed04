import Foundation
import StubbornNetwork

/// A call of `assertRequests`, and the advice that fits it.
struct SnapshotCall {
    /// The path of the test's file.
    let file: String
    var line = 0
    var recording = false
    var inAnyOrder = false
    var name: String?
    /// The test for `swift test --filter`; `nil` when it is not known.
    var filter: String?

    /// Returns the ways to record the snapshot anew: a command, or the variable to set where Xcode runs the test, and the
    /// call with `recording: true`.
    func advice(to purpose: String, isRunByXcode: Bool = false) -> String {
        let arguments = (inAnyOrder ? ", inAnyOrder: true" : "") + (name.map { ", named: \($0.quoted())" } ?? "")
        let line = """
            in \((file as NSString).lastPathComponent):\(line):  \
            assertRequests(of: \(network), recording: true\(arguments))
            """
        let variable = "STUB_SNAPSHOTS=recording"
        let ways =
            isRunByXcode
            ? [UnstubbedRequestReport.Fix].inXcode("To \(purpose)", variable).lines
            : filter.map { ["To \(purpose):  \(variable) swift test --filter \($0.quotedForShell)"] } ?? []
        return (ways + ["\(ways.isEmpty ? "To \(purpose), once" : "Or once") \(line)"]).joined(separator: "\n")
    }

    /// Returns the line that leaves out header fields.
    func advice(toLeaveOut names: [String]) -> String {
        let names = names.map { $0.quoted() }.joined(separator: ", ")
        return """
            To leave out what differs in each run:  \
            \(network).volatileHeaderFields = \(network).volatileHeaderFields.including(\(names))
            """
    }

    /// The network as the call names it; `network` where the source cannot be read.
    private var network: String {
        let source = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let call = source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).dropFirst(line - 1)
            .prefix(4).joined(separator: " ")
        guard let start = call.range(of: #"assertRequests\(\s*of:\s*"#, options: .regularExpression)?.upperBound else {
            return "network"
        }
        var depth = 0
        let expression = call[start...].prefix { character in
            if "([{".contains(character) { depth += 1 }
            if ")]}".contains(character) { depth -= 1 }
            return depth >= 0 && (depth > 0 || character != ",")
        }
        return depth > 0 ? "network" : expression.trimmingCharacters(in: .whitespaces)
    }
}
