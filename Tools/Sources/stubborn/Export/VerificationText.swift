import Foundation
import StubbornNetwork

/// Writes the differences between stub files and a server.
struct VerificationText {
    let reports: [VerificationReport]

    func text(as format: VerifyCommand.Format) throws -> String {
        switch format {
        case .text: return reports.map(\.description).joined(separator: "\n")
        case .json:
            return try JSONOutput.text(of: "verify", ["files": reports])
        case .markdown: return reports.map(markdown).joined(separator: "\n\n")
        }
    }

    private func markdown(_ report: VerificationReport) -> String {
        let differing = report.stubs.filter { $0.severity.map { $0 > .volatile } ?? false }
        let skipped = report.stubs.filter { $0.skipped != nil }
        var lines = ["### \(code(report.file ?? "The recording in memory"))", ""]
        let same = report.stubs.count - differing.count - skipped.count
        lines.append("\(same) of \(report.stubs.count) stubs are the same.")
        for stub in differing {
            lines += ["", "**\(code(stub.request))**: \(stub.severity?.rawValue ?? "")", ""]
            lines += ["| part | recorded | received |", "|---|---|---|"]
            lines += stub.differences.filter { $0.severity != .volatile }.map { difference in
                let values = [difference.part, difference.recorded ?? "none", difference.received ?? "none"]
                return "| " + values.map(code).joined(separator: " | ") + " |"
            }
        }
        if !skipped.isEmpty {
            lines += ["", "Not verified:"] + skipped.map { "- \(code($0.request)): \($0.skipped ?? "")" }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns a text as code that a table may have.
    private func code(_ text: String) -> String {
        let text = text.replacingOccurrences(of: "|", with: "\\|")
        return text.contains("`") ? "`` \(text) ``" : "`\(text)`"
    }
}
