import Testing

@testable import StubbornNetwork

/// How far the header fields of a request are from the recorded ones, which decides between stubs that match.
struct HeaderTemplateTests {
    @Test(
        arguments: [
            (["X-A": "1", "X-B": "1"], 0), (["x-a": "1", "X-B": "1"], 0), (["X-A": "2", "X-B": "1"], 1),
            (["X-A": "2", "X-B": "2"], 2), (["X-A": "1"], 1), ([:], 2), (["X-A": "1", "X-B": "1", "X-C": "1"], 1),
            (["X-C": "1"], 3), (["X-A": "1", "X-B": "1", "Cookie": "a=1; b=2"], 0),
        ] as [(HeaderFields, Int)]
    )
    func `each field that differs counts, and each that only one of both has`(live: HeaderFields, count: Int) {
        let recorded = StubRequest.make("GET", "https://a.example/", ["X-A": "1", "X-B": "1"])
        var (wildcards, places): ([Wildcard], [String]) = ([], [])
        let template = HeaderTemplate(recorded, PlaceholderForms(), wildcards: &wildcards, places: &places)
        var captures = ValueTemplate.Captures()
        let request = StubRequest.make("GET", "https://a.example/", live)
        let fields = HeaderComparison.fieldsAndCookies(of: request)
        #expect(template.differences(from: fields, into: &captures) == count)
    }
}
