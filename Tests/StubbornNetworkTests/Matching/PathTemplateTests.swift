import Testing

@testable import StubbornNetwork

struct PathTemplateTests {
    @Test(
        arguments: [
            ("/users/:id", "/users/42", ["id": "42"]), ("/users/:id", "/users/", nil),
            ("/users/:id", "/users/42/", nil),
            ("/users/:id", "/users/42/posts", nil), ("/users/:id", "/Users/42", nil), ("/users", "/users", [:]),
            ("/users", "/users/", nil), ("/:a/:b", "/1/2", ["a": "1", "b": "2"]), ("/:a/x/:a", "/1/x/2", ["a": "2"]),
            ("/:", "/:", [:]), ("/:", "/x", nil), ("/files/:name", "/files/a%20b", ["name": "a b"]),
            ("users/:id", "/users/1", ["id": "1"]),
            ("/caf\u{E9}/:id", "/caf%C3%A9/1", ["id": "1"]),
        ] as [(String, String, [String: String]?)]
    )
    func `a placeholder stands for one segment that is not empty`(
        template: String,
        path: String,
        values: [String: String]?
    ) {
        #expect(PathTemplate(spelling: template).match(path) == values)
    }

    @Test(
        arguments: [
            ("/reports/2026-01-01", "/reports/2026-01-02", "/reports/:value"),
            // Seven characters, no digit, two segments, another number of segments, the same.
            ("/reports/1234567", "/reports/7654321", nil),
            ("/reports/12345678", "/reports/87654321", "/reports/:value"),
            ("/reports/yesterday", "/reports/tomorrow", nil), ("/reports/12345678", "/reports/tomorrow", nil),
            ("/12345678/12345678", "/87654321/87654321", nil), ("/reports/12345678", "/reports/87654321/a", nil),
            ("/a", "/a", nil),
        ] as [(String, String, String?)]
    )
    func `paths that differ in one generated segment have a template`(old: String, new: String, template: String?) {
        #expect(PathTemplate(ofGenerated: old, new)?.text == template)
    }
}
