import Mutations
import Testing

struct MutantFinderTests {
    private func mistakes(in source: String) -> [String] {
        MutantFinder.mutants(in: source).map { "\($0.line) \($0.kind.rawValue): \($0.after)" }
    }

    @Test func `operators, literals and other ends are found by precedence`() {
        #expect(
            mistakes(in: "let x = a.first(where: f) ?? b < 0x7F && true") == [
                "1 and for or: let x = a.first(where: f) ?? b < 0x7F || true",
                "1 comparison boundary: let x = a.first(where: f) ?? b <= 0x7F && true",
                "1 default always used: let x = b < 0x7F && true",
                "1 other end: let x = a.last(where: f) ?? b < 0x7F && true",
                "1 integer changed: let x = a.first(where: f) ?? b < 0x7E && true",
                "1 Boolean changed: let x = a.first(where: f) ?? b < 0x7F && false",
            ]
        )
    }

    @Test func `a statement is removed where nothing needs its value`() {
        let source = """
            func f() -> Int {
                let g = { h() }
                h()
                if let i { return i }
                for j in k { l.m = j; continue }
                return n()
            }
            """
        #expect(
            mistakes(in: source) == [
                "3 call removed: /* removed */",
                "4 early return removed: if let i { /* removed */ }",
                "5 assignment removed: for j in k { /* removed */; continue }",
                "5 break for continue: for j in k { l.m = j; break }",
            ]
        )
    }

    @Test func `a property that has no value in its declaration may keep the one it has`() {
        #expect(
            mistakes(in: "struct S { var a: Int?\nmutating func f() { a = b } }") == [
                "2 assignment removed: mutating func f() { /* removed */ } }"
            ]
        )
    }

    @Test func `a condition is negated in an if and dropped in a guard`() {
        #expect(
            mistakes(in: "guard a, let b else { if c() { return } }") == [
                "1 guard dropped: guard true, let b else { if c() { return } }",
                "1 condition negated: guard a, let b else { if !(c()) { return } }",
            ]
        )
    }

    @Test(arguments: [
        "precondition(a == 1)", "throw E(\"\\(a + 1)\")", "switch a { case 1: b }", "enum E: Int { case a = 1 }",
        "init(a: Int) { self.a = a }", "let a: Int\nif b { a = c } else { a = d }", "#if os(macOS)\na(1)\n#endif",
        "let t = a + b", "let t = a?.first.b",
    ])
    func `what a mistake would not compile in, or says nothing, is left alone`(source: String) {
        #expect(mistakes(in: source).filter { !$0.contains("condition negated") } == [])
    }

    @Test(arguments: [
        "if n == 0 { return 1 }\nlet a = n < 0", "guard n != 0 else { throw e }\nlet a = n < 0",
        "if m || n == 0 { continue }\nlet a = n < 0",
        "if n == 0 { return 1 }\nguard m else { return 2 }\nlet a = 0 > n",
        "if n == 5 { return 1 }\nlet a = n >= 5", "guard n != 6, n != 5 else { return 1 }\nlet a = n > 5",
        "let a = b\nguard n != 0, n < 0 else { return 1 }", "if xs.isEmpty { return 1 }\nlet a = xs.count > 0",
        "guard !xs.isEmpty else { return 1 }\nlet a = 0 < xs.count",
    ])
    func `a border that was handled above makes no mistake`(source: String) {
        let kinds = MutantFinder.mutants(in: source).filter { $0.after.contains("let a = ") }.map(\.kind)
        #expect(!kinds.contains(.boundary))
        if !source.contains("xs") && !source.contains("!= 6") { #expect(!kinds.contains(.integer)) }
    }

    @Test(arguments: [
        "if n == 1 { return 1 }\nlet a = n < 0", "if n == 0 { m() }\nlet a = n < 0",
        "if m && n == 0 { return 1 }\nlet a = n < 0",
        "if n == 0 { return 1 } else { return 2 }\nlet a = n < 0", "if n == 0 { return 1 }\nn = m()\nlet a = n < 0",
        "guard n != 0 || m else { return 1 }\nlet a = n < 0", "guard m != 0 else { return 1 }\nlet a = n < 0",
        "let a = n < 0",
    ])
    func `a border that may come is a mistake to make`(source: String) {
        let kinds = MutantFinder.mutants(in: source).filter { $0.after.contains("let a = ") }.map(\.kind)
        #expect(kinds.contains(.boundary) && kinds.contains(.integer))
    }

    @Test func `all mutants of a text are compiled in, one within another`() {
        let source = "if a < 1 {\n    b()\n}\nc\n"
        let mutants = MutantFinder.mutants(in: source)
        let schemata = Schemata(source, Dictionary(uniqueKeysWithValues: zip(1..., mutants)))
        #expect(
            schemata.text == """
                if (isMutant(1) ? (!(a < 1)) : ((isMutant(2) ? (a <= 1) : (a < (isMutant(3) ? (2) : (1)))))) {
                    if isMutant(4) {  } else { b() }
                }
                c

                """
        )
        #expect(schemata.mutants(near: 1).sorted() == [1, 2, 3])
        #expect(schemata.mutants(near: 2) == [4])
        #expect(schemata.mutants(near: 3) == [4])
    }
}
