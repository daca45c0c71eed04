import ArgumentParser
import FlyingFox

/// The answers to a browser whose page is from a different origin: cross-origin resource sharing (https://fetch.spec.whatwg.org).
struct CrossOrigin: Sendable {
    /// The only origin that is allowed, as a browser writes it: `http://localhost:3000`; `*` for every origin.
    let origin: String

    /// Answers a request: a preflight at once, any other request with the header fields that let a browser read the response.
    ///
    /// - Parameters:
    ///   - request: The request of the client.
    ///   - answer: Makes the response. Its own fields for other origins belong to a different server, and are left out.
    /// - Returns: The response for the client.
    /// - Throws: The error of `answer`.
    func answer(
        _ request: HTTPRequest,
        by answer: (HTTPRequest) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let asked = request.headers[Self.origin]
        let isPreflight = request.method.rawValue == "OPTIONS" && asked != nil && request.headers[Self.method] != nil
        var response = isPreflight ? HTTPResponse(statusCode: .noContent) : try await answer(request)
        for name in response.headers.keys where name.rawValue.lowercased().hasPrefix("access-control-") {
            response.headers[name] = nil
        }
        response.headers.addValue("Origin", for: HTTPHeader("Vary"))
        guard let asked, origin == "*" || origin.lowercased() == asked.lowercased() else { return response }
        let readable = response.headers.keys.map(\.rawValue).sorted().joined(separator: ", ")
        response.headers[HTTPHeader("Access-Control-Allow-Origin")] = asked
        response.headers[HTTPHeader("Access-Control-Allow-Credentials")] = "true"
        guard isPreflight else {
            response.headers[HTTPHeader("Access-Control-Expose-Headers")] = readable
            return response
        }
        response.headers[HTTPHeader("Access-Control-Allow-Methods")] = request.headers[Self.method]
        response.headers[HTTPHeader("Access-Control-Allow-Headers")] =
            request.headers[HTTPHeader("Access-Control-Request-Headers")]
        response.headers[HTTPHeader("Access-Control-Max-Age")] = "600"
        if request.headers[HTTPHeader("Access-Control-Request-Private-Network")] != nil {
            response.headers[HTTPHeader("Access-Control-Allow-Private-Network")] = "true"
        }
        return response
    }

    private static let origin = HTTPHeader("Origin")
    private static let method = HTTPHeader("Access-Control-Request-Method")
}

/// The options of the servers for pages of other origins.
struct CrossOriginOptions: ParsableArguments {
    @Option(
        defaultAsFlag: CrossOrigin(origin: "*"),
        parsing: .next,
        help: ArgumentHelp(
            "Let web pages of this origin read the responses (CORS). Without a value, pages of all origins may.",
            valueName: "origin"
        )
    )
    var cors: CrossOrigin?
}

extension CrossOrigin: ExpressibleByArgument, CustomStringConvertible {
    /// Reads an origin, as a browser writes it: `http://localhost:3000`, `null` or `*`.
    init?(argument: String) {
        let origin = argument.hasSuffix("/") ? String(argument.dropLast()) : argument
        guard ["*", "null"].contains(origin) || origin.contains("://") && origin.split(separator: "/").count == 2 else {
            return nil
        }
        self.init(origin: origin)
    }

    var description: String { origin }
}
