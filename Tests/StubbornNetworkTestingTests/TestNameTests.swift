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
}
