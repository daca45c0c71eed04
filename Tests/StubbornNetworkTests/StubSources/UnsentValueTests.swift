import Foundation
import Testing

@testable import StubbornNetwork

/// Values that a server makes and that no request carries: numbers of its counters, names of its machines, its clock.
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
        #expect(result == old || result == new)
        return result == old
    }

    @Test(
        arguments: [
            Run("a long id", #"{"id":5812}"#, new: #"{"id":77310}"#),
            Run(
                "an id in a text",
                #"{"text":"Job #5812 has ended"}"#,
                #"{"id":5812}"#,
                new: #"{"text":"Job #90 has ended"}"#,
                #"{"id":90}"#
            ),
            Run("short ids that moved", #"[{"id":3},{"id":4}]"#, new: #"[{"id":5},{"id":6}]"#),
            Run("sequence numbers", #"{"seq":41}"#, #"{"seq":42}"#, new: #"{"seq":9041}"#, #"{"seq":9042}"#),
            Run(
                "versions of rows",
                #"{"row_version":41}"#,
                #"{"row_version":45}"#,
                new: #"{"row_version":907}"#,
                #"{"row_version":953}"#
            ),
            Run("a name with a number", #"{"id":12,"key":"TASK-12"}"#, new: #"{"id":873,"key":"TASK-873"}"#),
            Run(
                "numbers of one counter",
                #"{"receipt":"R-000512","of":"bill 00823"}"#,
                new: #"{"receipt":"R-004713","of":"bill 05024"}"#
            ),
            Run("a tag of a few digits", #"{"etag":"W/\"04022782\""}"#, new: #"{"etag":"W/\"8fa0aede\""}"#),
            Run("a node", #"{"leader":"node:8906","pid":412}"#, new: #"{"leader":"node:1577","pid":28871}"#),
            Run(
                "a machine",
                #"{"node":"mq@web-7f3a"}"#,
                #"{"by":"mq@web-7f3a"}"#,
                new: #"{"node":"mq@web-1b9c"}"#,
                #"{"by":"mq@web-1b9c"}"#
            ),
            Run("a slot", #"[{"slot":3},{"slot":9}]"#, new: #"[{"slot":11},{"slot":3}]"#),
            Run(
                "durations",
                #"[{"duration_ms":512},{"duration_ms":90}]"#,
                new: #"[{"duration_ms":77},{"duration_ms":8}]"#
            ),
            Run(
                "durations, one by chance the same",
                #"[{"time":1.25},{"time":0.5},{"time":3.0}]"#,
                new: #"[{"time":1.5},{"time":0.5},{"time":3.25}]"#
            ),
            Run("a duration in a text", "Compiled in 12.34s (9.123 seconds)", new: "Compiled in 8.01s (7.5 seconds)"),
            Run("a cursor", #"{"next_cursor":"YzoxMjM0OmFiYw=="}"#, new: #"{"next_cursor":"YzoxMjM0NTphYmM="}"#),
            Run(
                "another clock",
                #"{"at":"2019-03-01T10:00:00Z"}"#,
                #"{"at":"2019-03-01T10:00:07Z"}"#,
                new: #"{"at":"2031-05-09T08:00:00Z"}"#,
                #"{"at":"2031-05-09T08:00:08Z"}"#
            ),
        ]
    )
    func `values that only the server makes are no change`(run: Run) throws { #expect(try Self.isSame(run)) }

    @Test(
        arguments: [
            Run("one of several ids", #"[{"id":5812},{"id":5813}]"#, new: #"[{"id":5812},{"id":5814}]"#),
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

    /// Conversations full of such values, in which one thing is changed.
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
            let first = Int.random(in: 1_000...90_000, using: &values)
            let node = String(Int.random(in: 4_096...65_535, using: &values), radix: 16)
            return try Self.stubs(
                (0..<5).map { index in
                    let body = """
                        {"id":\(first + index),"key":"TASK-\(first + index)","seq":\(first * 3 + index),"node":"web-\(node)",
                        "pid":\(Int.random(in: 100...30_000, using: &values)),"took":\(Int.random(in: 1...90, using: &values)),
                        "duration":\(Double(Int.random(in: 100...9_000, using: &values)) / 1000),
                        "etag":"\(String(Int.random(in: 65_536...1_048_575, using: &values), radix: 16))",
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
