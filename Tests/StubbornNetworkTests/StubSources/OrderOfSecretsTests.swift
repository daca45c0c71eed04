import Foundation
import Testing

@testable import StubbornNetwork

/// Requests that differ only in what was replaced, and have different answers.
struct OrderOfSecretsTests {
    /// A request with a secret in one of its parts.
    struct Place: Sendable, CustomTestStringConvertible {
        let name: String
        let request: @Sendable (String) -> StubRequest

        var testDescription: String { name }

        init(_ name: String, _ request: @escaping @Sendable (String) -> StubRequest) {
            (self.name, self.request) = (name, request)
        }
    }

    private static func post(_ type: String, _ body: String) -> StubRequest {
        StubRequest(
            method: "POST",
            url: URL(string: "https://api.example.com/pay")!,
            headers: ["Content-Type": type],
            body: Data(body.utf8)
        )
    }

    private static func get(_ path: String, _ fields: HeaderFields = [:]) -> StubRequest {
        StubRequest(url: URL(string: "https://api.example.com\(path)")!, headers: fields)
    }

    static let places: [Place] = [
        Place("query") { get("/discount?code=\($0)") },
        Place("header") { get("/me", ["X-Api-Key": $0]) },
        Place("bearer") {
            get("/me", ["Authorization": "Bearer \($0)"])
        },
        Place("path") { get("/invitations/token/\($0)") },
        Place("JSON") {
            post("application/json", #"{"amount":5,"secret":"\#($0)"}"#)
        },
        Place("form") {
            post("application/x-www-form-urlencoded", "amount=5&secret=\($0)")
        },
        Place("basic") {
            get("/me", ["Authorization": "Basic \(Data("ada:\($0)".utf8).base64EncodedString())"])
        },
    ]

    private static let recorded = ["SUMMER" + "2024x7", "WINTER" + "2024x9"]
    private static let live = ["k9Zx4Tq7Wm", "b3Nf6Hs1Vc", "p5Rd8Ky2Lj"]

    /// Returns stubs that answer with the numbers of the requests that they were recorded for.
    ///
    /// They are of the file, unless a run has just recorded them.
    private func stubs(_ requests: [StubRequest], areNew: Bool = false) -> StubSource {
        stubs(requests.enumerated().map { ($1, "\($0 + 1)") }, areNew: areNew)
    }

    private func stubs(_ exchanges: [(StubRequest, String)], areNew: Bool = false) -> StubSource {
        let redactor = Redactor(.standard, environment: [:])
        let stubs = StubSource(file: nil)
        for (index, (request, answer)) in exchanges.enumerated() {
            let stub = redactor.redact(Stub(request: request, response: .text(answer)))
            stubs.recorded.withLock { stubs in
                if areNew {
                    stubs.insert(stub, requestNumber: index)
                } else {
                    stubs.append(StubFileEntry(stub, Data()))
                }
            }
        }
        return stubs
    }

    private func answers(
        _ requests: [StubRequest],
        from stubs: StubSource,
        _ order: PlaybackOrder = .sequenceThenLast
    ) -> [String?] {
        var rules = PlaybackRules()
        rules.order = order
        return requests.map { stubs.take(for: $0, by: rules)?.body }
    }

    @Test(arguments: places)
    func `values that appear on playback stand for the recorded ones in their order`(place: Place) {
        let stubs = stubs(Self.recorded.map(place.request))
        let live = Self.live.map(place.request)
        let (first, second, third) = (live[0], live[1], live[2])
        #expect(answers([first, first, second, first, second, second], from: stubs) == ["1", "1", "2", "1", "2", "2"])
        #expect(answers([third], from: stubs).first != nil)
    }

    @Test(arguments: places)
    func `a value that is a placeholder is answered by its own stub`(place: Place) {
        let stubs = stubs(Self.recorded.map(place.request))
        let stored = stubs.stubs().map(\.request)
        #expect(answers([stored[1], stored[0], stored[1]], from: stubs) == ["2", "1", "2"])
    }

    @Test func `a value keeps its stub in other requests`() {
        let profile = { (key: String) in Self.get("/profile/\(key.count)", ["X-Api-Key": key]) }
        let items = { (key: String) in Self.get("/items", ["X-Api-Key": key]) }
        let (ada, bob) = ("k9Zx4Tq7Wm2R", "b3Nf6Hs1Vc8Jd4")
        let stubs = stubs([profile(ada), profile(bob), items(ada), items(bob)])
        let (live, other) = ("q1Wd5Sa3Gt7U", "n4Mk8Yb2Xe6Ho0")
        _ = answers([profile(live), profile(other)], from: stubs)
        #expect(answers([items(other), items(live), items(other)], from: stubs) == ["4", "3", "4"])
    }

    @Test func `in a sequence a repeated value does not get the answer of another one`() {
        let place = Self.places[0]
        let stubs = stubs(Self.recorded.map(place.request))
        let (first, second) = (place.request(Self.live[0]), place.request(Self.live[1]))
        #expect(answers([first, first, second], from: stubs, .sequence) == ["1", nil, "2"])
    }

    @Test func `polls of one value are answered in their order`() {
        let exchanges = [
            (Self.places[0].request(Self.recorded[0]), "same"), (Self.places[0].request(Self.recorded[1]), "same"),
            (Self.places[1].request(Self.recorded[0]), "pending"), (Self.places[1].request(Self.recorded[0]), "done"),
        ]
        let stubs = stubs(exchanges, areNew: true)
        let poll = Self.places[1].request(Self.live[0])
        #expect(answers([poll, poll, poll], from: stubs) == ["pending", "done", "done"])
    }

    @Test func `requests with a new value each are answered in their order`() {
        let poll = { (key: String) in Self.get("/poll?access_token=\(key)") }
        let stubs = stubs(Self.recorded.map(poll))
        #expect(answers(Self.live.map(poll), from: stubs) == ["1", "2", "2"])
    }

    @Test func `JSON keys in another order have the same values`() {
        let body = { (key: String, secret: String, isReversed: Bool) in
            let fields = [#""api_key":"\#(key)""#, #""secret":"\#(secret)""#]
            return Self.post(
                "application/json",
                "{\((isReversed ? fields.reversed() : fields).joined(separator: ","))}"
            )
        }
        let stubs = stubs([body("k9Zx4Tq7Wm", "SUMMER24x", false), body("k9Zx4Tq7Wm", "WINTER24x", false)])
        let live = [body("q1Wd5Sa3Gt", "b3Nf6Hs1Vc", true), body("q1Wd5Sa3Gt", "p5Rd8Ky2Lj", false)]
        #expect(answers(live + live.reversed() + [live[0]], from: stubs) == ["1", "2", "2", "1", "1"])
    }
}
