import Foundation
import Testing

/// `stubborn volatile`: a shell script records in place of tests.
@Suite(.timeLimit(.minutes(5)))
struct VolatileTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func stub(_ path: String, _ json: String, _ fields: String = "", status: Int = 200) -> String {
        """
        { "request": { "method": "GET", "url": "https://real.example\(path)" }, "json": \(json),
          "response": { "statusCode": \(status), "headerFields": ["Content-Type[:::]application/json"\(fields)] } }
        """
    }

    /// Records the first stubs in the first run, and the others in the second.
    private func volatile(_ first: [String], _ second: [String], _ options: String..., ending: String = "") throws
        -> Tool.Result
    {
        try directory.write("[" + first.joined(separator: ",\n") + "]", to: "now/first.json")
        try directory.write("[" + second.joined(separator: ",\n") + "]", to: "now/second.json")
        let script = """
            test "$STUB_RECORD_MODE" = recording || exit 9
            stubs="$STUB_COPIES$PWD/Stubs"; run=$(basename "$STUB_COPIES"); mkdir -p "$stubs"
            cp "now/$run.json" "$stubs/A.json"
            \(ending)
            """
        return try Tool.run(["volatile"] + options + ["--", "sh", "-c", script], in: directory.url)
    }

    @Test func `numbers that differ are listed with a count, two values and the settings`() throws {
        let result = try volatile(
            [
                stub("/a", #"{"took":3,"results":[{"duration":"PT0.03S"}]}"#, #", "X-Cost[:::]1""#),
                stub("/b", #"{"took":4}"#),
            ],
            [
                stub("/a", #"{"took":5,"results":[{"duration":"PT0.05S"}]}"#, #", "X-Cost[:::]2""#),
                stub("/b", #"{"took":6}"#),
            ]
        )
        #expect(result.status == 1)
        #expect(
            result.output.components(separatedBy: "\n").prefix(3) == [
                #"volatileHeaders: X-Cost: differs once: "1", then "2""#,
                #"volatileJSONKeys: results.duration: differs once: "PT0.03S", then "PT0.05S""#,
                "volatileJSONKeys: took: differs 2 times: 3, then 5",
            ]
        )
        #expect(result.output.contains("\"results.duration\",\n"), "\(result.output)")
        #expect(result.errors == "1 stub file was recorded twice, with 2 and 2 stubs.\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["now"])
    }

    @Test func `what the normal form covers is no noise`() throws {
        let stubs = ["1", "2"].map {
            stub("/a", #"{"request_id":"\#($0)"}"#, #", "Date[:::]Sun, 0\#($0) Nov 2026 10:00:00 GMT""#)
        }
        let result = try volatile([stubs[0]], [stubs[1]])
        #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
    }

    @Test func `--write adds the names to the settings, and keeps what they have`() throws {
        try directory.write(
            #"{ "matching" : { "ignoredHeaders" : ["A"] }, "volatileJSONKeys" : ["at"] }"#,
            to: "Stubs/.stubborn.json"
        )
        let result = try volatile([stub("/a", #"{"took":3}"#)], [stub("/a", #"{"took":5}"#)], "--write")
        #expect(result.status == 0)
        let text = try directory.text("Stubs/.stubborn.json").filter { !$0.isWhitespace }
        #expect(text == #"{"matching":{"ignoredHeaders":["A"]},"volatileJSONKeys":["at","took"]}"#)
    }

    @Test(arguments: [
        (#"{"n":1}"#, #"{"n":1}"#, 201), (#"{"new":true}"#, #"{"new":false}"#, 200),
        (#"{"a":"open"}"#, #"{"a":"held"}"#, 200),
        (#"{"a":[1]}"#, #"{"a":[1,2]}"#, 200), (#"{"a":1}"#, #"{"a":null}"#, 200), (#"{"a":1}"#, #"{"a":"1"}"#, 200),
    ])
    func `an answer that depends on the first recording is listed, and never written`(
        first: String,
        second: String,
        status: Int
    ) throws {
        let result = try volatile([stub("/a", first)], [stub("/a", second, status: status)], "--write")
        #expect(result.status == 1)
        #expect(result.output.hasPrefix("Not noise, because"), "\(result.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["now"])
    }

    @Test func `a request of one recording only is listed`() throws {
        let result = try volatile([stub("/a?state=open", "{}")], [stub("/a?state=held", "{}")])
        #expect(
            result.output == """
                Not noise, because the answer depends on more than time:
                  GET https://real.example/a?state=open: only in the first recording
                  GET https://real.example/a?state=held: only in the second recording

                """
        )
    }

    @Test func `tests that fail are named, and then nothing is written`() throws {
        let result = try volatile(
            [stub("/a", #"{"took":3}"#)],
            [stub("/a", #"{"took":5}"#)],
            "--write",
            ending: "test $run = first || exit 3"
        )
        #expect(result.status == 1)
        #expect(result.errors.contains("Failed in the second recording: exit status 3\n"))
        #expect(result.errors.contains("Nothing was written, because tests failed.\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["now"])
    }

    @Test func `without a server there is nothing to compare`() throws {
        let error =
            #"{ "request": { "method": "GET", "url": "https://real.example/a" }, "#
            + #""error": { "domain": "NSURLErrorDomain", "code": -1004 } }"#
        #expect(try volatile([error], [error]).status == 2)
        let result = try Tool.run(["volatile", "--", "sh", "-c", "echo no server; exit 1"], in: directory.url)
        #expect(result.status == 2)
        #expect(
            result.errors.hasPrefix("error: No response was recorded. Is the server running? The tests wrote:\nno ser")
        )
    }
}
