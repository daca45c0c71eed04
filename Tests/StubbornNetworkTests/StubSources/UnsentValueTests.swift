import Foundation
import Testing

@testable import StubbornNetwork

/// Values that no request carries: those that look drawn are made by the server, and numbers, names and switches are not.
struct UnsentValueTests {
    /// The bodies of a conversation, in two recordings of it.
    struct Run: Sendable, CustomTestStringConvertible {
        let name: String
        let old: [String]
        let new: [String]

        var testDescription: String { name }

        init(_ name: String, _ old: String..., new: String...) { (self.name, self.old, self.new) = (name, old, new) }
    }

    static func stubs(_ bodies: [String]) throws -> [Stub] {
        try bodies.enumerated().map { try .get("http://a/\($0)x", .status(200, body: $1)) }
    }

    static func isSame(_ run: Run) throws -> Bool {
        let (old, new) = (try stubs(run.old), try stubs(run.new))
        let result = try ServerMadeValueTests.recordedAgain(old, new)
        #expect(result.indices.allSatisfy { result[$0] == old[$0] || result[$0] == new[$0] })
        return result == old
    }

    @Test(
        arguments: [
            Run("a long number as an id", #"{"id":581207714}"#, new: #"{"id":1077310455}"#),
            Run(
                "what is made of an id",
                #"{"id":"k3x9q7w2","key":"task/k3x9q7w2.1"}"#,
                new: #"{"id":"p8d4m1z6","key":"task/p8d4m1z6.1"}"#
            ),
            Run("a duration in a text", "Compiled in 12.34s (9.123 seconds)", new: "Compiled in 8.01s (7.5 seconds)"),
        ]
    )
    func `values that only the server makes are no change`(run: Run) throws { #expect(try Self.isSame(run)) }

    @Test(
        arguments: [
            Run("a number that no request carries", #"{"id":5812}"#, new: #"{"id":77310}"#),
            Run("numbers of a counter", #"{"seq":41}"#, #"{"seq":42}"#, new: #"{"seq":9041}"#, #"{"seq":9042}"#),
            Run("a long number", #"{"size":581207714}"#, new: #"{"size":1077310455}"#),
            Run("a number of retries in a sentence", "It took 3 retries.", new: "It took 4 retries."),
            Run("a number of tests", #"{"tests":{"pass":1204},"took":24}"#, new: #"{"tests":{"pass":1024},"took":14}"#),
            Run("the duration of a song", #"{"seconds":215}"#, new: #"{"seconds":230}"#),
            Run("one of several ids", #"[{"id":5812},{"id":5813}]"#, new: #"[{"id":5812},{"id":5814}]"#),
            Run(
                "the order of values that look drawn",
                #"{"ids":["k3x9q7w2","p8d4m1z6"]}"#,
                new: #"{"ids":["p8d4m1z6","k3x9q7w2"]}"#
            ),
            Run(
                "the order of values that are new",
                #"{"a":"k3x9q7w2","b":"p8d4m1z6"}"#,
                #"{"ids":["k3x9q7w2","p8d4m1z6"]}"#,
                new: #"{"a":"t5v8c2n4","b":"h6j1r9y3"}"#,
                #"{"ids":["h6j1r9y3","t5v8c2n4"]}"#
            ),
            Run("the order of long numbers", #"{"id":[581207714,581310455]}"#, new: #"{"id":[581310455,581207714]}"#),
            Run("the order of ids", #"[{"id":5812},{"id":5813}]"#, new: #"[{"id":5813},{"id":5812}]"#),
            Run("the order of short ids", #"{"ids":[3,4]}"#, new: #"{"ids":[4,3]}"#),
            Run("another owner", #"{"owner_id":3}"#, new: #"{"owner_id":4}"#),
            Run("a version with dots", #"{"version":"3.3.2"}"#, new: #"{"version":"3.4.0"}"#),
            Run("a model", #"{"name":"iPhone-14"}"#, new: #"{"name":"iPhone-15"}"#),
            Run("a room", #"{"text":"Room 101"}"#, new: #"{"text":"Room 202"}"#),
            Run("an offset", #"{"tz_offset":3600}"#, new: #"{"tz_offset":7200}"#),
            Run("a timeout", #"{"timeout_ms":3000}"#, new: #"{"timeout_ms":5000}"#),
            Run(
                "one duration of several",
                #"[{"time":215},{"time":180},{"time":99}]"#,
                new: #"[{"time":215},{"time":230},{"time":99}]"#
            ),
            Run(
                "all prices",
                #"[{"price":1250},{"price":1999},{"price":1500}]"#,
                new: #"[{"price":1350},{"price":2099},{"price":1600}]"#
            ),
            Run("a count", #"{"total":1250}"#, #"{"total":1251}"#, new: #"{"total":2250}"#, #"{"total":2251}"#),
            Run("counts", #"{"n":3}"#, #"{"n":4}"#, #"{"n":5}"#, new: #"{"n":4}"#, #"{"n":5}"#, #"{"n":6}"#),
            Run(
                "all times, by as much",
                #"{"at":"2019-03-01T10:00:00Z"}"#,
                #"{"at":"2019-03-01T10:00:07Z"}"#,
                new: #"{"at":"2031-05-09T08:00:00Z"}"#,
                #"{"at":"2031-05-09T08:00:08Z"}"#
            ),
            Run(
                "one time",
                #"{"at":"2019-03-01T10:00:00Z"}"#,
                #"{"at":"2019-03-01T10:00:07Z"}"#,
                new: #"{"at":"2019-03-01T10:00:00Z"}"#,
                #"{"at":"2019-04-01T10:00:07Z"}"#
            ),
            Run(
                "prices that are close",
                #"[{"price":1990},{"price":1995},{"price":1999}]"#,
                new: #"[{"price":2190},{"price":2195},{"price":2199}]"#
            ),
            Run(
                "stocks that are close",
                #"{"stock":500}"#,
                #"{"stock":501}"#,
                #"{"stock":502}"#,
                new: #"{"stock":100}"#,
                #"{"stock":101}"#,
                #"{"stock":102}"#
            ),
            Run("the length of a song", #"{"duration":215}"#, new: #"{"duration":230}"#),
            Run("an author", #"{"by":"user17"}"#, new: #"{"by":"user23"}"#),
            Run("a host", #"{"host":"Ada"}"#, new: #"{"host":"Grace"}"#),
        ]
    )
    func `a value that is alone in its change is a change`(run: Run) throws { #expect(try !Self.isSame(run)) }

    /// Conversations full of values that a server makes, in which one thing is changed.
    @Test(
        arguments: [
            (#""price":1250"#, #""price":1350"#), (#""price":1250"#, #""price":12500"#),
            (#""stock":40"#, #""stock":39"#),
            (#""stock":40"#, #""stock":4000"#), (#""open":true"#, #""open":false"#),
            (#""name":"Ada""#, #""name":"Grace""#),
            (#""name":"Ada""#, #""name":"Ada2""#), (#""title":"Plan 7""#, #""title":"Plan 8""#),
            (#""tags":["a","b"]"#, #""tags":["b","a"]"#), (#""tags":["a","b"]"#, #""tags":["a"]"#),
            (#""ratio":0.25"#, #""ratio":0.35"#), (#""size":48213"#, #""size":51877"#),
            (#""code":"EUR""#, #""code":"USD""#),
            (#""amount":"19.90""#, #""amount":"24.90""#),
        ]
    )
    func `no change is hidden among values that the server makes`(old: String, new: String) throws {
        func conversation(_ seed: Int, changes: Set<Int> = []) throws -> [Stub] {
            var values = Generator(seed: UInt64(seed))
            func random() -> String { String(UInt64.random(in: 1 << 60...UInt64.max, using: &values), radix: 16) }
            return try Self.stubs(
                (0..<5).map { index in
                    let body = """
                        {"id":\(Int.random(in: 1_000_000_000...9_000_000_000, using: &values)),"key":"task/\(random())",
                        "took":\(Int.random(in: 1...90, using: &values)),"etag":"W/\\"\(random())\\"","cursors":["\(random())"],
                        "price":1250,"stock":40,"open":true,"name":"Ada","title":"Plan 7","tags":["a","b"],"ratio":0.25,
                        "size":48213,"code":"EUR","amount":"19.90"}
                        """
                    return changes.contains(index) ? body.replacingOccurrences(of: old, with: new) : body
                }
            )
        }
        let recorded = try conversation(1)
        #expect(try ServerMadeValueTests.recordedAgain(recorded, conversation(2)) == recorded)
        for changes in [[0], [2, 4], [0, 1, 2, 3, 4]] as [Set<Int>] {
            let again = try conversation(3, changes: changes)
            let result = try ServerMadeValueTests.recordedAgain(recorded, again)
            for index in changes { #expect(result[index] == again[index]) }
        }
    }
}
