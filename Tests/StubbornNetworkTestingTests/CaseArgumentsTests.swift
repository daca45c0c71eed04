import StubbornNetwork
import Testing

@testable import StubbornNetworkTesting

/// The forms in which versions of Swift Testing keep the cases of a test, made by hand.
struct CaseArgumentsTests {
    private enum State {
        case evaluated(AnySequence<HandMadeCase>)
        case unevaluated
        case renamed([HandMadeCase])
    }

    private struct HandMadeCase {
        enum Kind {
            case nonParameterized
            case parameterized(arguments: [Argument], isStable: Bool)
        }

        struct Argument {
            var id = "id"
            let value: any Sendable
        }

        let kind: Kind

        init(_ values: any Sendable...) {
            kind =
                values.isEmpty
                ? .nonParameterized : .parameterized(arguments: values.map { Argument(value: $0) }, isStable: true)
        }
    }

    private static var cases: State { .evaluated(AnySequence([HandMadeCase("a", 1), HandMadeCase("b", Int?.none)])) }

    /// The form up to 6.3.
    private struct DirectTest {
        let name = "login()"
        let testCasesState: State?
    }

    /// The form from 6.4 on.
    private struct BoxedTest {
        final class Box<Value: ~Copyable> {
            let value: Value
            init(_ value: consuming Value) { self.value = value }
        }

        struct Properties {
            let name = "login()"
            let testCasesState: State?
        }

        let _properties: Box<Properties>
    }

    @Test func `the cases of a test are found in the form of each version`() throws {
        let boxed = BoxedTest(_properties: .init(.init(testCasesState: Self.cases)))
        for test in [DirectTest(testCasesState: Self.cases), boxed] as [Any] {
            let arguments = try CaseArguments.cases(of: test).map {
                try CaseArguments.arguments(of: $0).map { "\($0)" }
            }
            #expect(arguments == [["a", "1"], ["b", "nil"]])
        }
    }

    @Test func `a test that keeps its cases in another form gets an error`() {
        struct Renamed { let cases = CaseArgumentsTests.cases }
        let tests: [Any] = [
            Renamed(), DirectTest(testCasesState: nil), DirectTest(testCasesState: .unevaluated),
            DirectTest(testCasesState: .evaluated(AnySequence([]))),
            DirectTest(testCasesState: .renamed([HandMadeCase("a")])),
            BoxedTest(_properties: .init(.init(testCasesState: nil))),
        ]
        for test in tests {
            let error = #expect(throws: StubbornNetworkError.self) { try CaseArguments.cases(of: test) }
            #expect(error?.code == .unsupportedVersion)
            #expect(error?.message.contains("Test.testCasesState") == true)
        }
    }

    @Test func `a case that keeps its arguments in another form gets an error`() {
        struct Renamed { let arguments = [(id: "id", content: "a")] }
        for testCase in [Renamed(), HandMadeCase(), "a case"] as [Any] {
            let error = #expect(throws: StubbornNetworkError.self) { try CaseArguments.arguments(of: testCase) }
            #expect(error?.code == .unsupportedVersion)
            #expect(error?.message.contains("Test.Case.arguments") == true)
        }
    }
}
