import Foundation
@_spi(Tools) import StubbornNetworkTooling

/// A segment of a path, or a host, with variables: `{id}`, `{id}.json`, `users`.
struct SegmentTemplate: Sendable {
    private enum Piece {
        case literal(String)
        case variable(String)
    }

    private let pieces: [Piece]

    init(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            if open > rest.startIndex { pieces.append(.literal(Self.decoded(rest[..<open]))) }
            pieces.append(.variable(String(rest[rest.index(after: open)..<close])))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty || pieces.isEmpty { pieces.append(.literal(Self.decoded(rest))) }
        self.pieces = pieces
    }

    private static func decoded(_ text: Substring) -> String { text.removingPercentEncoding ?? String(text) }

    var isConcrete: Bool {
        if case .literal = pieces[0], pieces.count == 1 { true } else { false }
    }

    /// Returns the values of the variables in a decoded segment; `nil` for a segment of a different form.
    func values(in segment: String) -> [String: String]? { Self.values(pieces[...], segment[...]) }

    private static func values(_ pieces: ArraySlice<Piece>, _ text: Substring) -> [String: String]? {
        guard let piece = pieces.first else { return text.isEmpty ? [:] : nil }
        let rest = pieces.dropFirst()
        switch piece {
        case .literal(let literal):
            return text.hasPrefix(literal) ? values(rest, text.dropFirst(literal.count)) : nil
        case .variable(let name):
            // The last variable takes everything; the others take as little as possible.
            if rest.isEmpty { return text.isEmpty ? nil : [name: String(text)] }
            var end = text.startIndex
            while end < text.endIndex {
                end = text.index(after: end)
                guard case .literal(let literal)? = rest.first, !text[end...].hasPrefix(literal) else {
                    if let others = values(rest, text[end...]) {
                        return others.merging([name: String(text[..<end])]) { $1 }
                    }
                    continue
                }
            }
            return nil
        }
    }
}

/// The address of a server in a document: a host, which may have variables or be missing, and the beginning of paths.
struct ServerAddress: Sendable {
    private let host: SegmentTemplate?
    /// The port as it is written; `nil` for the scheme's default.
    private let port: String?
    /// A Boolean value that indicates whether the port is a variable.
    private let takesAnyPort: Bool
    private let segments: [String]

    var hasHost: Bool { host != nil }

    /// Returns the addresses that a server object stands for: one for each value of a variable in its path.
    ///
    /// A variable in the host stands for any text.
    static func all(url: String, variables: JSON?) -> [ServerAddress] {
        var host: SegmentTemplate?
        var port: String?
        var takesAnyPort = false
        var path = url
        if let authority = url.range(of: "//") {
            let rest = url[authority.upperBound...]
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            var name = String(rest[..<end])
            path = String(rest[end...])
            if let colon = name.lastIndex(of: ":"), !name[colon...].contains("}"), !name[colon...].contains("]") {
                port = String(name[name.index(after: colon)...])
                name = String(name[..<colon])
            }
            if let colon = name.range(of: ":{", options: .backwards) {
                takesAnyPort = true
                name = String(name[..<colon.lowerBound])
            }
            // The whole address may be a variable.
            if name.hasSuffix("}") { takesAnyPort = true }
            let standard = url.hasPrefix("http://") ? "80" : url.hasPrefix("https://") ? "443" : nil
            if port == standard { port = nil }
            host = name.isEmpty ? nil : SegmentTemplate(name.lowercased())
        }
        var paths = [path]
        for (name, variable) in (variables?.members ?? [:]).sorted(by: { $0.key < $1.key })
        where path.contains("{\(name)}") {
            let values = Set(
                (variable["enum"]?.elements ?? []).compactMap(\.text) + [variable["default"]?.text].compactMap(\.self)
            )
            paths = paths.flatMap { path in
                values.sorted().map { path.replacingOccurrences(of: "{\(name)}", with: $0) }
            }
        }
        return paths.prefix(100).map { path in
            let segments = path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
            return ServerAddress(host: host, port: port, takesAnyPort: takesAnyPort, segments: segments)
        }
    }

    /// Returns the segments of a request's path after the path of the server; `nil` for a request to a different
    /// server.
    func segments(of request: RequestAddress) -> ArraySlice<String>? {
        if let host {
            guard host.values(in: request.host) != nil, takesAnyPort || port == request.port else { return nil }
        }
        guard request.segments.starts(with: segments) else { return nil }
        return request.segments.dropFirst(segments.count)
    }

    private init(host: SegmentTemplate?, port: String?, takesAnyPort: Bool, segments: [String]) {
        (self.host, self.port, self.takesAnyPort, self.segments) = (host, port, takesAnyPort, segments)
    }
}

/// The parts of a request's URL that a document describes.
struct RequestAddress {
    let host: String
    /// The port as it is written; `nil` for the scheme's default.
    let port: String?
    /// The decoded segments of the path.
    let segments: [String]
    let query: [(name: String, value: String)]

    init(_ url: URL) {
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        host = parts?.host?.lowercased() ?? ""
        let standard = ["http": 80, "https": 443][parts?.scheme?.lowercased() ?? ""]
        port = parts?.port.flatMap { $0 == standard ? nil : "\($0)" }
        let path = parts?.percentEncodedPath ?? ""
        segments = (path.isEmpty ? "/" : path).dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.removingPercentEncoding ?? String($0) }
        query = FormText.fields(of: parts?.percentEncodedQuery ?? "")
    }
}

/// The fields of a query or a form.
enum FormText {
    /// Returns the names and values, decoded: `a=1&b=%20`.
    static func fields(of text: String) -> [(name: String, value: String)] {
        text.split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
                let plain = part.replacingOccurrences(of: "+", with: " ")
                return plain.removingPercentEncoding ?? plain
            }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }
}
