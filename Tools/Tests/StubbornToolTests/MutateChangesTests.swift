import Foundation
import Testing

/// `stubborn mutate`: the changes that it makes.
@Suite(.timeLimit(.minutes(5))) struct MutateChangesTests {
    private let scene: MutationScene
    private var directory: TemporaryDirectory { scene.directory }

    init() throws { scene = try MutationScene() }

    /// Returns what a test that makes a check with its file does not notice.
    private func unnoticed(in stub: String, checking check: String) throws -> [String] {
        try directory.write(Recorded.file(stub), to: "Stubs/A.json")
        let test = FakeSwift.FakeTest(name: "UserTests.a", file: "Stubs/A.json", check: check)
        let swift = try FakeSwift([test], in: directory)
        let result = try swift.stubborn("mutate", "--format", "json", "--", "swift", "test")
        return try JSONDecoder().decode(MutationScene.Report.self, from: result.outputData).unnoticed.map {
            ($0.keyPath.isEmpty ? "" : "\($0.keyPath): ") + $0.description
        }
    }

    /// A check that the status is 200, for tests of something else.
    private static let status = #"grep -q '"statusCode" : 200' "$file""#

    /// Bodies, checks of them, and what these overlook.
    private static let overlooked: [(json: String, check: String, unnoticed: [String])] = [
        (#"{"price":19.95}"#, #"grep -q '"price" : [1-9]' "$file""#, ["price: 19.95 → 39.9"]),
        // A comparison with a tolerance of one.
        (#"{"price":19.95}"#, #"grep -q -E '"price" : (19|20)' "$file""#, []),
        (#"{"text":"Version 12 is here"}"#, #"grep -q -E '"text" : "Version [0-9]+ is' "$file""#, []),
        // The client's default is the recorded value.
        (
            #"{"plan":"free"}"#, #"{ ! grep -q plan "$file" || grep -q '"plan" : "free"' "$file"; }"#,
            ["plan: missing, with the same default"]
        ),
        (
            #"[{"n":1},{"n":2},{"n":3}]"#, #"tr -d ' \n' < "$file" | grep -q '"json":\[{"n":1}'"#,
            ["only the first element"]
        ),
        (
            #"[{"n":1},{"n":2},{"n":3}]"#, #"[ $(grep -o '"n"' "$file" | wc -l) = 3 ]"#,
            ["in the opposite order", "[].n: 1 → 2"]
        ),
    ]

    @Test(arguments: overlooked)
    func `a value is changed in the ways that tests overlook`(json: String, check: String, expected: [String]) throws {
        #expect(
            try unnoticed(in: Recorded.stub("/a", json: json.spaced), checking: "\(Self.status) && \(check)")
                == expected
        )
    }

    @Test func `a failure becomes another one`() throws {
        let notFound = Recorded.stub("/a", status: 404, json: "{}")
        #expect(
            try unnoticed(in: notFound, checking: #"grep -q '"statusCode" : [45]' "$file""#) == ["status 404 → 500"]
        )
        #expect(try unnoticed(in: notFound, checking: #"grep -q '"statusCode" : 404' "$file""#).isEmpty)
        let error = """
            { "error" : { "code" : -1001, "domain" : "NSURLErrorDomain" },
              "request" : { "method" : "GET", "url" : "https://api.example.com/a" } }
            """
        #expect(try unnoticed(in: error, checking: #"grep -q '"code"' "$file""#) == ["error -1001 → -1009"])
        #expect(try unnoticed(in: error, checking: #"grep -q '"code" : -1001' "$file""#).isEmpty)
    }

    @Test func `header fields are changed that say more than how a body is sent, and come last`() throws {
        let headers = ["Content-Type", "Date", "Link", "X-Total-Count"].map { "\($0)[:::]12 a" }
        let stub = Recorded.stub("/a", json: #"{"a":1}"#, headers: headers)
        #expect(
            try unnoticed(in: stub, checking: Self.status) == [
                "a: missing", "header fields: other values of link, x-total-count",
            ]
        )
        let check = #"grep -q 'X-Total-Count\[:::\]12' "$file""#
        #expect(
            try unnoticed(in: stub, checking: "\(Self.status) && \(check)") == [
                "a: missing", "header fields: other values of link",
            ]
        )
    }

    @Test func `a body that is not JSON is changed too, and a placeholder is not`() throws {
        let text = { (body: String) in Recorded.stub("/a", type: "text/plain", body: Data(body.utf8)) }
        let hasBody = #"\#(Self.status) && grep -q '"data" : "[^"]' "$file""#
        #expect(try unnoticed(in: text("Hello"), checking: hasBody) == ["body with different text"])
        #expect(try unnoticed(in: text("<p>Hello</p>"), checking: hasBody).isEmpty)
        #expect(try unnoticed(in: text("Bearer REDACTED-token-1"), checking: hasBody).isEmpty)
        let image = Recorded.stub("/a", type: "image/png", body: Data([0x89, 0, 1, 2]))
        #expect(try unnoticed(in: image, checking: hasBody) == ["body with a different byte"])
        #expect(try unnoticed(in: image, checking: Self.status) == ["body empty", "body with a different byte"])
        let secret = Recorded.stub("/a", json: #"{"token" : "REDACTED-token-1"}"#)
        #expect(try unnoticed(in: secret, checking: #"\#(Self.status) && grep -q token "$file""#).isEmpty)
    }
}
