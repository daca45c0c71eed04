import Foundation
import StubbornNetworkTesting
import Testing

@testable import StubbornNetwork

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Trait where Self == StubbedTrait {
    /// The trait of a project, in one place.
    fileprivate static var project: Self {
        .stubbed(matching: .strict, bodyEncoding: .readable) {
            $0.redaction = .standard.including(headers: ["X-Project"])
            $0.stub(.path("/project"), with: .status(200))
        }
    }
}

/// The settings of a test with a trait, in a suite with a trait, in a suite with a trait.
@Suite(.project)
struct TraitInheritanceTests {
    private let url = URL(string: "https://api.example.com/nothing")!

    @Test func `a test without a trait has the settings of its suite`() {
        let network = StubbornNetwork.current
        #expect(network.requestMatcherOptions.description == RequestMatcherOptions.strict.description)
        #expect(network.bodyEncoding == .readable)
        let request = StubRequest(method: "GET", url: url, headers: ["X-Project": "secret"])
        let redacted = Redactor(network.redaction).redact(request)
        #expect(redacted.headerFields["X-Project"]?.contains("secret") == false)
        #expect(network.unusedDeclaredStubs.map(\.pattern) == ["path /project"])
        #expect(network.stubFile?.lastPathComponent.hasPrefix("TraitInheritanceTests_a_test_without") == true)
    }

    @Test(.stubbed) func `a trait that names nothing changes nothing`() {
        #expect(StubbornNetwork.current.requestMatcherOptions.description == RequestMatcherOptions.strict.description)
        #expect(StubbornNetwork.current.unusedDeclaredStubs.map(\.pattern) == ["path /project"])
    }

    @Suite(
        .stubbed(named: "inherited", in: "Elsewhere", order: .stateful) { $0.stub(.path("/inner"), with: .status(200)) }
    )
    struct Inner {
        @Test(
            .stubbed(matching: [.url], redaction: Redaction.none) { network in
                // The settings of the outer traits hold already.
                #expect(network.bodyEncoding == .readable)
                network.playbackOrder = .sequence
                network.stub(.path("/test"), with: .status(200))
            }
        )
        func `a trait changes only what it names, and closures run from the outermost to the innermost`() {
            let network = StubbornNetwork.current
            let line = #line - 2
            #expect(network.stubFile?.relativePath.hasSuffix("Elsewhere/inherited.json") == true)
            #expect(network.requestMatcherOptions.description == "[.url]")
            #expect(network.redaction.isNothing)
            #expect(network.bodyEncoding == .readable)
            #expect(network.playbackOrder == .sequence)
            #expect(network.unusedDeclaredStubs.map(\.pattern) == ["path /project", "path /inner", "path /test"])
            network.onUnstubbedRequest = { _ in }
            let (rules, file) = (network.engine.settings.current.rules, "TraitInheritanceTests.swift")
            #expect(rules.$matchers.origin == "set by .stubbed(matching:) at \(file):\(line)")
            #expect(rules.$order.origin == "set by the closure of .stubbed at \(file):\(line)")
        }

        @Test(.stubbed, arguments: [1, 2]) func `each case has one network`(number: Int) {
            let network = StubbornNetwork.current
            #expect(network.playbackOrder == .stateful)
            #expect(network.unusedDeclaredStubs.map(\.pattern) == ["path /project", "path /inner"])
            network.stub(.path("/\(number)"), with: .status(200))
            #expect(network.unusedDeclaredStubs.count == 3)
        }

        @Test(.stubbed(sharedSession: false), .visible, .stubbed { _ in #expect(Visible.isHere) })
        func `closures run inside the traits before the innermost`() {
            #expect(Visible.isHere)
        }
    }
}

private struct Visible: TestTrait, TestScoping {
    @TaskLocal static var isHere = false

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.$isHere.withValue(true, operation: function)
    }
}

extension Trait where Self == Visible {
    fileprivate static var visible: Self { Visible() }
}
