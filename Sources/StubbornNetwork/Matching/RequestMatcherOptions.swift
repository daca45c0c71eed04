import Foundation

/// What recorded requests are matched by: all of the matchers must hold.
///
///     network.requestMatcherOptions = .strict
///     network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["ts"]), .requestBody]
///
/// Without any matcher every recorded request equals every live one.
public struct RequestMatcherOptions: Sendable {
    public var matchers: [RequestMatcher]

    public init(_ matchers: [RequestMatcher]) {
        self.matchers = matchers
    }

    /// Method, URL and body: the default.
    public static let standard = RequestMatcherOptions([.httpMethod, .url, .requestBody])

    /// As `standard`, and all header fields that the app itself sets.
    public static let strict = RequestMatcherOptions([.httpMethod, .url, .headers, .requestBody])

    /// Method, host and path. Scheme, port, query, header fields and body say nothing.
    public static let lenient = RequestMatcherOptions([.httpMethod, .host, .path])

    /// Whether bodies that these options accept as equal say the same throughout.
    var comparesWholeBody: Bool {
        matchers.contains { if case .body([]) = $0.criterion { true } else { false } }
    }

    /// Whether one of the matchers is in code, which no description can repeat.
    var hasCustomMatcher: Bool { matchers.contains(where: \.compared.isCustom) }

    /// Whether all matchers hold: those in code last, when all others do.
    func hold(live: ParsedRequest, recorded: ParsedRequest) -> Bool {
        matchers.allSatisfy { $0.compared.isCustom || $0.compared.holds(live: live, recorded: recorded) }
            && matchers.allSatisfy { !$0.compared.isCustom || $0.compared.holds(live: live, recorded: recorded) }
    }
}

extension RequestMatcherOptions: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: RequestMatcher...) {
        self.init(elements)
    }
}

extension RequestMatcherOptions: CustomStringConvertible {
    /// The code that makes them: `[.httpMethod, .url, .requestBody]`.
    public var description: String {
        "[\(matchers.map(\.description).joined(separator: ", "))]"
    }
}
