import Foundation

@testable import StubbornNetwork

extension StubRequest {
    /// A request in one line; a string that is no URL gives one to `about:blank`.
    static func make(
        _ method: String = "GET",
        _ url: String,
        _ headerFields: HeaderFields = [:],
        body: String? = nil
    ) -> StubRequest {
        StubRequest(
            method: method,
            url: URL(string: url) ?? URL(fileURLWithPath: "/not-a-url"),
            headers: headerFields,
            body: body.map { Data($0.utf8) }
        )
    }

    static func get(_ url: String) -> StubRequest { make("GET", url) }

    static func json(_ body: String, _ contentType: String? = "application/json") -> StubRequest {
        make("POST", "https://a.example/", contentType.map { ["Content-Type": $0] } ?? [:], body: body)
    }
}

extension StubRequest {
    /// Returns a Boolean value that indicates whether the stub of this request answers a live one.
    func answers(_ live: StubRequest, by options: RequestMatcherOptions = .standard) -> Bool {
        !MatchIndex(options: options, requests: [self]).positions(live).isEmpty
    }
}

extension MatchIndex {
    /// Returns the recorded request that differs least from a live one, and the differences.
    func nearest(
        to live: StubRequest,
        used: Set<Int> = []
    ) -> (position: Int, differences: [RequestDifference], areConstant: Bool)? {
        let path = ParsedRequest(live).url.path
        let samePath = (0..<count).filter { hasPath($0, path) }
        return nearest(to: live, shown: live, samePath: samePath, used: used)
    }
}

extension RequestMatcherOptions {
    func differences(recorded: StubRequest, requested: StubRequest) -> [RequestDifference] {
        differences(recorded: ParsedRequest(recorded), requested: ParsedRequest(requested))
    }
}
