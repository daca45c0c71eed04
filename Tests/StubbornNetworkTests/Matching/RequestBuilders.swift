import Foundation

@testable import StubbornNetwork

extension StubRequest {
    /// A request in one line; a text that is no URL gives one to `about:blank`.
    static func make(
        _ method: String = "GET",
        _ url: String,
        _ headerFields: HeaderFields = [:],
        body: String? = nil
    ) -> StubRequest {
        StubRequest(
            method: method,
            url: URL(string: url) ?? URL(fileURLWithPath: "/not-a-url"),
            headerFields: headerFields,
            body: body.map { Data($0.utf8) }
        )
    }

    static func get(_ url: String) -> StubRequest { make("GET", url) }

    static func json(_ body: String, _ contentType: String? = "application/json") -> StubRequest {
        make("POST", "https://a.example/", contentType.map { ["Content-Type": $0] } ?? [:], body: body)
    }
}

extension RequestMatcherOptions {
    func differences(recorded: StubRequest, requested: StubRequest) -> [RequestDifference] {
        differences(recorded: ParsedRequest(recorded), requested: ParsedRequest(requested))
    }
}
