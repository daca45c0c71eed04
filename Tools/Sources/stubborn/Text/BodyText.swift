import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

extension StubRequest {
    /// The body without its content encoding: a request is stored as it was sent, a response as its client received it.
    var plainBody: Data? {
        body.map { headerFields["Content-Encoding"] == nil ? $0 : StubFile.inflated($0) ?? $0 }
    }
}

/// A body as lines of text, decoded and indented by its type.
struct BodyText: Equatable {
    enum Kind: String {
        case json = "JSON"
        case graphQL = "GraphQL"
        case xml = "XML"
        case form, multipart, events, text, image, binary
    }

    let kind: Kind
    let lines: [String]

    /// Creates the text of a body.
    ///
    /// - Parameters:
    ///   - body: The body as it was recorded, without its content encoding.
    ///   - type: The value of the `Content-Type` field; empty if there is none.
    init(_ body: Data, type: String) {
        let name = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        if let format = ImageFormat(body) {
            (kind, lines) = (.image, ["\(format.rawValue) image, \(ByteCount(body.count))"])
        } else if let parts = StubFile.multipart(body, contentType: type) {
            (kind, lines) = (.multipart, Self.lines(of: parts))
        } else if let text = Self.text(of: body, type: type) {
            (kind, lines) = Self.laidOut(text, body, name)
        } else {
            let title = [name.isEmpty ? "binary data" : name, "\(ByteCount(body.count))"].joined(separator: ", ")
            (kind, lines) = (.binary, [title.printable] + HexDump.lines(of: body))
        }
    }

    private static func laidOut(_ text: String, _ body: Data, _ name: String) -> (Kind, [String]) {
        let start = text.prefix(1_024).drop(while: \.isWhitespace)
        let beginsLikeJSON = start.hasPrefix("{") || start.hasPrefix("[")
        if beginsLikeJSON || name.hasSuffix("json"), let json = StubFile.indentedJSON(body) {
            let lines = String(decoding: json, as: UTF8.self).lines
            if let graphQL = graphQLLines(of: lines) { return (.graphQL, graphQL.map(\.printable)) }
            return (.json, lines.map(\.printable))
        }
        if name == "application/x-www-form-urlencoded" { return (.form, formLines(of: text)) }
        if name == "text/event-stream" { return (.events, eventLines(of: text)) }
        if name.hasSuffix("xml") || start.lowercased().hasPrefix("<?xml") {
            return (.xml, XMLLayout(text).lines.map(\.printable))
        }
        return (.text, text.lines.map(\.printable))
    }

    /// Returns the lines of indented JSON, with the lines of a GraphQL query below its key; `nil` for other JSON.
    ///
    ///     {
    ///       "query" :
    ///         query User($id: ID!) {
    ///           user(id: $id) { name }
    ///         }
    ///       "variables" : {
    private static func graphQLLines(of lines: [String]) -> [String]? {
        // The body is one request, or an array of requests.
        let indentation = lines.first == "[" ? "    " : "  "
        var isGraphQL = false
        let result = lines.flatMap { line -> [String] in
            guard line.hasPrefix(indentation + "\"query\" : \""), line.contains("\\n"), line.contains("{") else {
                return [line]
            }
            let value = line.dropFirst(indentation.count + 10)
            let literal = value.hasSuffix(",") ? value.dropLast() : value
            guard let query = try? JSONDecoder().decode(String.self, from: Data(literal.utf8)) else { return [line] }
            isGraphQL = true
            return [indentation + "\"query\" :"] + query.lines.map { $0.isEmpty ? "" : "\(indentation)  \($0)" }
        }
        return isGraphQL ? result : nil
    }

    /// Returns the text of a body; `nil` for a body that is not text.
    static func text(of body: Data, type: String) -> String? {
        if !body.contains(0), let text = String(data: body, encoding: .utf8) {
            // A byte-order mark says nothing to a reader.
            return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        }
        let encoding = Charset(contentType: type).encoding
        return encoding == .utf8 ? nil : String(data: body, encoding: encoding)
    }

    /// Returns a line for each field, with its name and value decoded: `q = café`.
    private static func formLines(of text: String) -> [String] {
        text.split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
                let plain = part.replacingOccurrences(of: "+", with: " ")
                return (plain.removingPercentEncoding ?? plain).replacingOccurrences(of: "\n", with: "\\n").printable
            }
            return parts.count == 2 ? "\(parts[0]) = \(parts[1])" : parts[0]
        }
    }

    /// Returns the lines of server-sent events, with JSON in them laid out below its field.
    private static func eventLines(of text: String) -> [String] {
        text.lines.flatMap { line -> [String] in
            guard line.hasPrefix("data:"),
                let json = StubFile.indentedJSON(Data(line.dropFirst(5).trimmingCharacters(in: .whitespaces).utf8))
            else { return [line.printable] }
            let lines = String(decoding: json, as: UTF8.self).lines.map(\.printable)
            return lines.count < 2 ? [line.printable] : ["data:"] + lines.map { "  \($0)" }
        }
    }

    private static func lines(of parts: [(head: Data, content: Data)]) -> [String] {
        parts.enumerated().flatMap { index, part -> [String] in
            let head = String(decoding: part.head, as: UTF8.self).lines
            let type = head.first { $0.lowercased().hasPrefix("content-type:") }.map { String($0.dropFirst(13)) } ?? ""
            let body = BodyText(part.content, type: type.trimmingCharacters(in: .whitespaces))
            return ["part \(index + 1)"] + head.map { "  \($0.printable)" } + [""] + body.lines.map { "  \($0)" }
        }
    }
}
