import Foundation

extension LoopbackServer {
    /// The routes of a server that is made without a handler; each file of this folder lists its own.
    ///
    /// A route answers every method alike, `HEAD` without the body. What is no route is answered with 404, and a route
    /// with unusable parameters with 400, both with a string that says so.
    public static let standardRoutes: @Sendable (Request) -> Response = { request in
        let parts = request.pathComponents
        guard let name = parts.first, let route = routes[name] else {
            return .text("no route: \(request.path)", status: 404)
        }
        let parameters = Array(parts.dropFirst())
        return route(request, parameters) ?? .text("unusable parameters: \(request.target)", status: 400)
    }

    /// Answers a request, given the parts of the path after the route's name; nil if these are unusable.
    typealias Route = @Sendable (Request, [String]) -> Response?

    private static let routes: [String: Route] = [
        contentRoutes, redirectRoutes, streamingRoutes, failureRoutes, authenticationRoutes, stateRoutes,
    ].reduce(into: [:]) { routes, more in routes.merge(more) { first, _ in first } }

    /// The first parameter as a number within `range`.
    static func number(_ parameters: [String], in range: ClosedRange<Int>) -> Int? {
        parameters.first.flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
    }
}
