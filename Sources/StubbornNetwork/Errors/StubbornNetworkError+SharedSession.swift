import Foundation

extension StubbornNetworkError {
    /// The error for a request of `URLSession.shared` that could be for any of several networks.
    ///
    /// - Parameter names: the interceptions in force, in the order in which they began.
    static func ambiguousInterception(_ url: URL?, inForce names: [String]) -> Self {
        let report = UnstubbedRequestReport(ambiguous: url.map(name) ?? "no URL", inForce: names)
        var error = Self(.ambiguousInterception, report.description, url: url)
        error.storedReport = Boxed(report)
        return error
    }

    /// The error for a request of `URLSession.shared` whose own interception has ended.
    static func interceptionEnded(_ url: URL?, name interception: String) -> Self {
        Self(
            .interceptionEnded,
            """
            The request for \(url.map(name) ?? "no URL") through URLSession.shared was refused: it was started in the task \
            of an interception that has ended, while others are in force.
              \(interception)
            Neither the real server nor another network was asked. Have interceptingSharedSession return only when the \
            requests that were started inside it have come back.
            """,
            url: url
        )
    }
}

extension UnstubbedRequestReport {
    /// The report on a request that could be for any of several networks, none of which is asked.
    fileprivate init(ambiguous request: String, inForce names: [String]) {
        self.init(
            cause: .ambiguous,
            request: request,
            mode: .playback,
            file: nil,
            stubCount: 0,
            pathStubCount: 0,
            usedPathStubCount: 0,
            usedUp: [],
            nearest: nil,
            position: nil,
            isNearestUnused: false,
            differences: [],
            ignoringOptions: [],
            nearestDeclared: nil,
            declaredDifferences: [],
            settings: Settings(matchers: "", matchersSource: "", order: "", orderSource: "", modeSource: ""),
            fixes: [],
            interceptions: names
        )
    }
}
