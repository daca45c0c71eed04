import Foundation

extension LoopbackServer {
    /// The routes that keep state, on the server or in the client.
    ///
    /// - `/counter`: `1`, then `2`, and so on, per server: tells a live answer from a recorded one
    /// - `/sequence/NAME`: the same, counted for each name
    /// - `/cookies/set?name=value`: a `Set-Cookie` for each query item, and the text `cookies set`
    /// - `/cookies`: the request's cookies as a JSON object: `{"name":"value"}`
    /// - `/volatile`: the same JSON each time, spelled in turn in two ways, with another `Date`, `X-Request-Id`, `X-Build` and
    ///   `X-Auth-Token`
    /// - `/etag`: the text `tagged` with the entity tag `"v1"`, or 304 if `If-None-Match` names it
    static let stateRoutes: [String: Route] = [
        "counter": { request, _ in .text("\(request.nextNumber(for: "route /counter"))") },
        "sequence": { request, parameters in
            guard parameters.count == 1 else { return nil }
            return .text("\(request.nextNumber(for: "route /sequence/\(parameters[0])"))")
        },
        "cookies": { request, parameters in
            if parameters.isEmpty { return .json(encoding: cookies(of: request)) }
            guard parameters == ["set"] else { return nil }
            let fields = request.query.map { (name: "Set-Cookie", value: "\($0.name)=\($0.value); Path=/") }
            return .text("cookies set", headers: fields)
        },
        "volatile": { request, _ in
            let number = request.nextNumber(for: "route /volatile")
            let fields = [
                (name: "Date", value: "Sat, 21 Nov 2026 00:00:\(number % 60) GMT"),
                (name: "X-Request-Id", value: "\(number)"),
                (name: "X-Build", value: "\(number)"), (name: "Content-Type", value: "application/json"),
                (name: "X-Auth-Token", value: "4f\(number * 7919)b7e1\(number)c"),
            ]
            let body = number % 2 == 0 ? #"{"a":1,"b":[true]}"# : #"{ "b": [true], "a": 1.0 }"#
            return Response(headers: fields, body: .data(Data(body.utf8)))
        },
        "etag": { request, _ in
            let tag = [(name: "ETag", value: #""v1""#)]
            let known = (request.header("If-None-Match") ?? "").split(separator: ",")
                .map { $0.trimmingCharacters(in: .whitespaces) }
            return known.contains { ["*", #""v1""#, #"W/"v1""#].contains($0) }
                ? Response(status: 304, headers: tag)
                : .text("tagged", headers: tag)
        },
    ]

    private static func cookies(of request: Request) -> [String: String] {
        let pairs = (request.header("Cookie") ?? "").split(separator: ";").map { pair in
            pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return Dictionary(pairs.map { ($0.first ?? "", $0.count > 1 ? $0[1] : "") }) { first, _ in first }
    }
}
