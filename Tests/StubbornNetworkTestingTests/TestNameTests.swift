import Foundation
import StubbornNetwork
import Testing

@testable import StubbornNetworkTesting

struct TestNameTests {
    struct Plan: CustomTestStringConvertible {
        let name: String
        var testDescription: String { "plan \(name)" }
    }

    enum Step { case signIn, named(String) }

    @Test(
        .stubbed,
        arguments: ["plain", "a b", "a_b", "A B"]
    )
    func `cases that would share a file have one each`(text: String) {
        let names = ["plain": "plain", "a b": "a_b_8924f766", "a_b": "a_b_6fa2a91d", "A B": "A_B_4713e62f"]
        #expect(
            StubbornNetwork.current.stubFile?.lastPathComponent
                == "TestNameTests_cases_that_would_share_a_file_have_one_each_\(names[text] ?? "").json"
        )
    }

    @Test(.stubbed, arguments: ["a b", "a/b", "1", "-1"])
    func signs(text: String) {
        // The other two are not plain names.
        let names = ["a b": "a_b", "a/b": "a_b_167d79cb", "1": "1", "-1": "1_d1f39b91"]
        #expect(StubbornNetwork.current.stubFile?.lastPathComponent == "TestNameTests_signs_\(names[text] ?? "").json")
    }

    @Test(.stubbed, arguments: [Plan(name: "free")], [Data([1, 2, 3]), Data([4, 5, 6])])
    func plans(plan: Plan, data: Data) {
        let checksum = data.first == 1 ? "7e5e1633" : "0779c9eb"
        #expect(
            StubbornNetwork.current.stubFile?.lastPathComponent
                == "TestNameTests_plans_plan_free_3_bytes_\(checksum).json"
        )
    }

    @Test(.stubbed, arguments: [String(repeating: "long ", count: 30)])
    func long(text: String) {
        #expect(
            StubbornNetwork.current.stubFile?.lastPathComponent
                == "TestNameTests_long_long_long_long_long_long_long_long_long__8dec02a0.json"
        )
    }

    @Test func `an argument's description is short and has no quotation marks`() {
        let arguments: [(Any, String)] = [
            ("text", "text"), ("text".dropFirst(), "ext"), (42, "42"), (Plan(name: "pro"), "plan pro"),
            ((1, true), "(1, true)"), (("a", "b"), "(a, b)"), (["a", "b"], "a, b"), (Set(["b", "a"]), "a, b"),
            (Optional("a") as Any, "a"), (Optional<Int>.none as Any, "nil"), (Step.signIn, "signIn"),
            (Step.named("a"), "named(a)"), (["b": 1, "a": 2], "(a, 2), (b, 1)"),
        ]
        for (argument, description) in arguments {
            #expect(CaseArguments.description(of: argument) == description)
        }
    }

    struct Query {
        let path = "/a"
        let items: [String: Int]
        let names: Set<String>?
    }

    enum Change { case add([String: Int]), remove([String: Int]) }

    @Test func `sets and dictionaries inside an argument are in the same order in each process`() {
        let keys = (0..<20).map { "key\($0)" }
        var (small, large) = ([String: Int](), [String: Int](minimumCapacity: 4_096))
        var (few, many) = (Set<String>(), Set<String>(minimumCapacity: 4_096))
        for key in keys {
            small[key] = 1
            large[key] = 1
            few.insert(key)
            many.insert(key)
        }
        #expect(Array(small.keys) != Array(large.keys), "different capacities, different orders")
        let pairs: [(Any, Any)] = [
            (Query(items: small, names: few), Query(items: large, names: many)), (Change.add(small), Change.add(large)),
            (Optional(few) as Any, Optional(many) as Any), ([few], [many]), (few, many),
        ]
        for (one, other) in pairs {
            #expect(CaseArguments.description(of: one) == CaseArguments.description(of: other))
            #expect(CaseArguments.identity(of: one) == CaseArguments.identity(of: other))
        }
        let query = Query(items: ["b": 1, "a": 2], names: nil)
        #expect(CaseArguments.description(of: query) == "/a, (a, 2), (b, 1), nil")
        // These are in the same order anyway.
        let single = Query(items: ["b": 1], names: nil)
        #expect(CaseArguments.description(of: single) == "Query(path: /a, items: [b: 1], names: nil)")
        #expect(CaseArguments.identity(of: ["b": 1, "a": 2]) == #"{"a":2,"b":1}"#)
        let identities = [
            CaseArguments.identity(of: Set(["a", "b"])), CaseArguments.identity(of: Set(["a, b"])),
            CaseArguments.identity(of: Change.add(["a": 1])), CaseArguments.identity(of: Change.remove(["a": 1])),
            CaseArguments.identity(of: [["a": 1], ["a": 2]]), CaseArguments.identity(of: [["a": 2], ["a": 1]]),
        ]
        #expect(Set(identities).count == identities.count)
    }
}
