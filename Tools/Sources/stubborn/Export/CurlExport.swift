import Foundation
import StubbornNetwork

/// Writes the requests of stubs as `curl` commands.
enum CurlExport {
    /// Returns a command to paste, on several lines.
    static func command(for request: StubRequest) -> String {
        var parts = ["curl \(request.url.absoluteString.inShellQuotes)"]
        let body = request.body.flatMap { $0.isEmpty ? nil : $0 }
        switch request.method {
        case "GET" where body == nil, "POST" where body != nil: break
        case "HEAD": parts.append("--head")
        default: parts.append("-X \(request.method.inShellQuotes)")
        }
        for field in request.headerFields {
            switch field.name.lowercased() {
            // curl computes the length itself.
            case "content-length": continue
            // curl decodes only encodings that it requests itself.
            case "accept-encoding": parts.append("--compressed")
            default:
                parts.append(
                    "-H " + (field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)").inShellQuotes
                )
            }
        }
        guard let body else { return parts.joined(separator: " \\\n  ") }
        // Otherwise, curl would send the type of a form.
        if request.headerFields["Content-Type"] == nil { parts.append("-H 'Content-Type:'") }
        if let text = String(data: body, encoding: .utf8), !text.unicodeScalars.contains("\0"), Data(text.utf8) == body
        {
            parts.append("--data-raw \(text.inShellQuotes)")
            return parts.joined(separator: " \\\n  ")
        }
        parts.append("--data-binary @-")
        return "echo \(body.base64EncodedString().inShellQuotes) | base64 --decode | "
            + parts.joined(separator: " \\\n  ")
    }
}
