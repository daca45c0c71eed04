import Foundation
@preconcurrency import Rainbow
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// A stub as lines of text: the request line, header fields and body, and then the same parts of the response.
///
///     POST https://api.example.com/login
///       Content-Type: application/json
///
///       {
///         "name" : "ada"
///       }
///     HTTP 200
///       Content-Type: text/plain
///
///       Welcome
struct StubText {
    let stub: Stub
    /// The header fields that are shown without their values.
    private let hidden: VolatileHeaderFields

    init(_ stub: Stub, hiding hidden: VolatileHeaderFields = VolatileHeaderFields([])) {
        (self.stub, self.hidden) = (stub, hidden)
    }

    /// The lines, with colors if colors are on.
    ///
    /// A value that a test made is a name and its JSON.
    var lines: [String] {
        guard stub.valueName != nil else { return requestLines + responseLines }
        let json = Self.lines(body: stub.response.body, of: ["Content-Type": "application/json"])
        return ["\(stub.request)".printable.bold] + json.dropFirst()
    }

    /// The lines of the request.
    var requestLines: [String] {
        let request = stub.request
        let operations = "\(request)".dropFirst(request.method.count + 1 + request.url.absoluteString.count)
        let first =
            request.method.printable.bold + " " + request.url.absoluteString.printable.cyan
            + String(operations).printable
        return [first] + fieldLines(request.headerFields)
            + Self.lines(body: request.plainBody, of: request.headerFields)
    }

    /// The lines of the response, its times and its error.
    var responseLines: [String] {
        let response = stub.response
        var lines: [String] = []
        if let head = response.head {
            let status = "HTTP \(head.statusCode)"
            let url = head.url.flatMap { $0 == stub.request.url ? nil : " from \($0.absoluteString.printable)" } ?? ""
            lines.append((head.statusCode < 400 ? status.green : status.red).bold + url)
            lines += fieldLines(head.headerFields)
        }
        if let timing = response.timing {
            let last = timing.chunks.last.map { ", \(counted(timing.chunks.count, "part")) in \(seconds($0.seconds))" }
            lines.append("  (first byte after \(seconds(timing.secondsToFirstByte))\(last ?? ""))".dim)
        }
        lines += Self.lines(body: response.body, of: response.head?.headerFields ?? [:])
        if let failure = response.failure {
            let text = failure.description.map { ": \($0.printable)" } ?? ""
            lines.append("error \(failure.domain.printable) \(failure.code)".red.bold + text)
        }
        return lines
    }

    private func seconds(_ seconds: Double) -> String { String(format: "%.3f s", seconds) }

    private func fieldLines(_ fields: HeaderFields) -> [String] {
        // Sorted as in a stub file that this library has written, which keeps git's diffs short.
        fields.enumerated().sorted {
            ($0.element.name.lowercased(), $0.offset) < ($1.element.name.lowercased(), $1.offset)
        }
        .map(\.element).map {
            "  " + $0.name.printable.blue + ": " + (hidden.includes($0.name) ? "…" : $0.value.printable)
        }
    }

    private static func lines(body: Data?, of fields: HeaderFields) -> [String] {
        guard let body, !body.isEmpty else { return [] }
        let text = BodyText(body, type: fields["Content-Type"] ?? "")
        let isColored = Rainbow.enabled && (text.kind == .json || text.kind == .graphQL)
        return [""] + text.lines.map { $0.isEmpty ? "" : "  " + (isColored ? colored(json: $0) : $0) }
    }

    /// Returns a line of JSON with its key in a color.
    private static func colored(json line: String) -> String {
        guard let separator = line.range(of: "\" :") else { return line }
        let key = line[..<separator.lowerBound]
        guard let quote = key.firstIndex(of: "\""), key[..<quote].allSatisfy({ $0 == " " }) else { return line }
        return key[..<quote] + (key[quote...] + "\"").magenta + line[separator.lowerBound...].dropFirst()
    }
}
