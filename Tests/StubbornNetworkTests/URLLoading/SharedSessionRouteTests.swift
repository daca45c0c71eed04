import Foundation
import Testing

@testable import StubbornNetwork

/// Who answers a request of `URLSession.shared`, as a table.
struct SharedSessionRouteTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let inForce: KeyValuePairs<Int, Character>
        let task: Int?
        let route: SharedSessionRoute

        init(_ inForce: KeyValuePairs<Int, Character>, task: Int?, _ route: SharedSessionRoute) {
            (self.inForce, self.task, self.route) = (inForce, task, route)
        }

        var testDescription: String { "\(inForce), task \(task.map(String.init) ?? "none"): \(route)" }
    }

    private final class Network {}

    @Test(arguments: [
        Row([:], task: nil, .realNetwork),
        Row([:], task: 1, .realNetwork),
        Row([1: "a"], task: nil, .interception(1)),
        Row([1: "a"], task: 1, .interception(1)),
        Row([2: "a"], task: 1, .ended),
        Row([1: "a", 2: "b"], task: nil, .ambiguous),
        Row([1: "a", 2: "b"], task: 1, .interception(1)),
        Row([1: "a", 2: "b"], task: 2, .interception(2)),
        Row([1: "a", 2: "b"], task: 3, .ended),
        Row([1: "a", 2: "a"], task: nil, .interception(2)),
        Row([1: "a", 2: "a"], task: 1, .interception(1)),
        Row([1: "a", 2: "a", 3: "b"], task: nil, .ambiguous),
    ])
    func `a request goes to its task's interception, otherwise to the only network`(row: Row) {
        let networks: [Character: Network] = ["a": Network(), "b": Network()]
        let inForce = row.inForce.reduce(into: [:]) { $0[$1.key] = networks[$1.value].map(ObjectIdentifier.init) }
        #expect(SharedSessionRoute(task: row.task, inForce: inForce) == row.route)
    }

    @Test func `the classes of the shared session are all different`() {
        let classes = (0..<300).map { ObjectIdentifier(routeMarker(number: $0).classOfInterception) }
        let others = (0..<300).map { ObjectIdentifier(routeMarker(number: $0).classOfNetwork) }
        #expect(Set(classes + others).count == 600)
    }

    @Test func `the error for an ambiguous request lists the interceptions and the fix`() {
        let error = StubbornNetworkError.ambiguousInterception(
            URL(string: "https://ada:secret@api.test/users"),
            inForce: [
                "Stubs/Login.json, intercepting since App/LoginTests.swift:12",
                "a network in memory, intercepting since App/UserTests.swift:7",
            ]
        )
        #expect(error.code == .ambiguousInterception)
        #expect(
            error.message == """
                The request for https://api.test/users through URLSession.shared was refused: several interceptions were \
                in force when it started, and it was not started in the task of one of them.
                  Stubs/Login.json, intercepting since App/LoginTests.swift:12
                  a network in memory, intercepting since App/UserTests.swift:7
                The real server was not called. Start the request inside interceptingSharedSession, in its task or a child \
                task; requests from a detached task or a dispatch queue, and all requests on Apple's platforms, cannot be \
                assigned to an interception. Or use one interception at a time, or network.session.
                """
        )
    }

    @Test func `the error for an ambiguous request lists at most eight interceptions`() {
        let error = StubbornNetworkError.ambiguousInterception(nil, inForce: (1...50).map { "network \($0)" })
        #expect(error.message.contains("  network 8\n  and 42 more\nThe real server"))
        #expect(error.message.hasPrefix("The request for no URL through URLSession.shared was refused"))
    }

    @Test func `a request whose interception has ended says so`() {
        let error = StubbornNetworkError.interceptionEnded(
            URL(string: "https://api.test/users"),
            name: "a network in memory, intercepting since App/UserTests.swift:7"
        )
        #expect(error.code == .networkGone)
        #expect(
            error.message == """
                The request for https://api.test/users through URLSession.shared was refused: it was started in the task \
                of an interception that has ended, while others are in force.
                  a network in memory, intercepting since App/UserTests.swift:7
                No server and no other network was called. Await the requests that are started inside \
                interceptingSharedSession before it returns.
                """
        )
    }
}
