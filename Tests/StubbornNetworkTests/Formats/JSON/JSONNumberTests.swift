import Foundation
import Testing

@testable import StubbornNetwork

struct JSONNumberTests {
    private func normalized(_ text: String) -> String? { text.withBytes { JSONNumber($0)?.normalized } }

    @Test(arguments: [
        "0", "-0", "7", "10", "1.5", "0.5", "-0.25", "1e5", "1E5", "1e+5", "1e-5", "0e0", "1.0e00",
        "123456789012345678901",
    ])
    func `a number of JSON's grammar is read`(text: String) throws {
        _ = try #require(normalized(text))
        // Foundation is the judge.
        _ = try JSONSerialization.jsonObject(with: Data("[\(text)]".utf8))
    }

    @Test(arguments: [
        "", "-", "+1", "01", "-01", ".5", "1.", "1.e5", "1e", "1e+", "e5", "0x10", "1 ", " 1", "1,0", "NaN", "1e5.0",
    ])
    func `anything else is not a number`(text: String) {
        #expect(normalized(text) == nil)
    }

    @Test(arguments: [
        (["1.5", "1.50", "15e-1", "0.15e1", "1.5E+00"], "1.5"), (["0", "-0", "0.00", "0e9"], "0"),
        (["-7", "-7.0", "-70e-1"], "-7"),
        (["100", "1e2", "1.00e2"], "100"), (["0.001", "1e-3", "0.01e-1"], "0.001"),
        // Exponents up to 20 are written out.
        (["1e20", "100000000000000000000"], "100000000000000000000"), (["1e21", "10e20"], "1e21"),
        (["1e-20"], "0.00000000000000000001"),
        (["1e-21", "0.1e-20"], "1e-21"), (["12e-21"], "12e-21"), (["1.25e-19"], "125e-21"),
    ])
    func `numbers of one value have one spelling`(texts: [String], expected: String) {
        for text in texts { #expect(normalized(text) == expected, "\(text)") }
    }

    @Test func `a digit more than a double holds is another value`() {
        #expect(normalized("0.10000000000000000001") != normalized("0.1"))
        #expect(normalized("9007199254740993") != normalized("9007199254740992"))
    }

    @Test(arguments: [
        ("1e999999999", "1e999999999"), ("1e1000000000", "1e1000000000"), ("10e0001", "100"),
        ("1e-1000000000", "1e-1000000000"),
    ])
    func `an exponent of ten digits or more is kept as it is written`(text: String, expected: String) {
        #expect(normalized(text) == expected)
    }

    @Test(
        arguments: [("200", 200), ("2e2", 200), ("200.0", 200), ("-1", -1), ("1.5", nil), ("1e30", nil)]
            as [(String, Int?)]
    )
    func `a whole number is an integer`(text: String, expected: Int?) {
        let integer = text.withBytes { JSONNumber($0)?.integer }
        #expect(integer == expected)
    }

    @Test func `a number beyond the doubles is none of them`() {
        let doubles = ["1e308", "1e309"].map { text in text.withBytes { JSONNumber($0)?.double } }
        #expect(doubles == [1e308, nil])
    }
}
