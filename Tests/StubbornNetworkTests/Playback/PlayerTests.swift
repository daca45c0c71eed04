import Foundation
import Testing

@testable import StubbornNetwork

struct PlayerTests {
    private let request = StubRequest(url: URL(string: "http://api.test/a")!)

    /// The steps in words: `0.5: response 200`.
    private func play(
        _ response: StubResponse,
        at speed: PlaybackSpeed = .immediate,
        isRecorded: Bool = false,
        timeout: TimeInterval = .infinity
    ) -> [String] {
        Player(speed: speed).steps(for: response, to: request, isRecorded: isRecorded, timeout: timeout).map { step in
            let event =
                switch step.event {
                case .response(let response, _): "response \((response as? HTTPURLResponse)?.statusCode ?? 0)"
                case .head(let head): "head \(head.statusCode)"
                case .data(let data): "\(data.count) bytes"
                case .end(let body): "end of \(body?.count ?? 0)"
                case .failure(let error): "\((error as NSError).domain) \((error as NSError).code)"
                }
            return "\(step.seconds): \(event)"
        }
    }

    @Test func `a response comes first, then its body at once, then the end`() {
        #expect(play(.text("hello")) == ["0.0: response 200", "0.0: 5 bytes", "0.0: end of 5"])
    }

    @Test(arguments: [PlaybackSpeed.immediate, .recorded])
    func `a stream comes in its parts, recorded and declared`(speed: PlaybackSpeed) {
        let events = StubResponse.data(Data("data: 1\n\ndata: 22\n\n".utf8), contentType: "text/event-stream")
        for isRecorded in [true, false] {
            #expect(
                play(events, at: speed, isRecorded: isRecorded)
                    == ["0.0: response 200", "0.0: 9 bytes", "0.0: 10 bytes", "0.0: end of 19"]
            )
        }
    }

    @Test func `without body there is no data`() {
        #expect(play(.status(204)) == ["0.0: response 204", "0.0: end of 0"])
        #expect(play(.data(Data())) == ["0.0: response 200", "0.0: end of 0"])
    }

    @Test func `an error comes instead of a response`() {
        #expect(play(.failure(URLError(.timedOut))) == ["0.0: NSURLErrorDomain -1001"])
    }

    @Test func `a stub with neither a response nor an error is an error`() {
        var nothing = StubResponse.text("hello")
        nothing.head = nil
        #expect(play(nothing) == ["0.0: StubbornNetwork.StubbornNetworkError 9"])
    }

    @Test func `a large body comes in parts`() {
        #expect(
            play(.data(Data(count: 600_000))) == [
                "0.0: response 200", "0.0: 262144 bytes", "0.0: 262144 bytes", "0.0: 75712 bytes", "0.0: end of 600000",
            ]
        )
    }

    @Test func `a response that broke off ends in its error`() {
        let broken = StubResponse(
            failure: StubFailure(domain: NSURLErrorDomain, code: -1005),
            head: ResponseHead(statusCode: 200),
            body: Data(count: 3)
        )
        #expect(play(broken) == ["0.0: response 200", "0.0: 3 bytes", "0.0: NSURLErrorDomain -1005"])
    }

    @Test func `a declared delay holds whatever the speed is`() {
        let delayed = StubResponse.text("a").delayed(by: .milliseconds(500)).delayed(by: .seconds(1))
        #expect(play(delayed) == ["1.5: response 200", "0.0: 1 bytes", "0.0: end of 1"])
        let failing = StubResponse.failure(URLError(.timedOut)).delayed(by: .milliseconds(250))
        #expect(play(failing) == ["0.25: NSURLErrorDomain -1001"])
    }

    @Test func `a slow link delivers ten parts a second`() {
        let slow = StubResponse.data(Data(count: 25)).throttled(
            to: .init(bytesPerSecond: 100, latency: .milliseconds(50))
        )
        #expect(
            play(slow) == [
                "0.05: response 200", "0.1: 10 bytes", "0.1: 10 bytes", "0.05: 5 bytes", "0.0: end of 25",
            ]
        )
    }

    @Test func `a large body on a slow link comes in no more than a thousand parts`() {
        let steps = play(.data(Data(count: 100_000)).throttled(to: .init(bytesPerSecond: 10)))
        #expect(steps.count == 1_002)
        #expect(steps[1] == "10.0: 100 bytes")
    }

    @Test func `times in a file that run backwards add no wait`() {
        var response = StubResponse(head: ResponseHead(statusCode: 200), body: Data(count: 30))
        let chunks = [(0.5, 10), (0.25, 10), (0.75, 10)].map { Pace.Chunk(seconds: $0.0, length: $0.1) }
        response.pace = Pace(secondsToFirstByte: 0, chunks: chunks)
        #expect(
            play(response, at: .recorded, isRecorded: true) == [
                "0.0: response 200", "0.5: 10 bytes", "0.0: 10 bytes", "0.25: 10 bytes", "0.0: end of 30",
            ]
        )
    }

    @Test func `a recorded response that broke off waits for its first byte once`() {
        var broken = recorded
        broken.failure = StubFailure(domain: NSURLErrorDomain, code: -1005)
        #expect(
            play(broken, at: .recorded, isRecorded: true) == [
                "0.5: response 200", "0.25: 10 bytes", "1.0: 20 bytes", "0.0: NSURLErrorDomain -1005",
            ]
        )
    }

    @Test func `a timeout of zero means no timeout`() {
        let late = StubResponse.text("a").delayed(by: .seconds(3))
        #expect(play(late, timeout: 0) == ["3.0: response 200", "0.0: 1 bytes", "0.0: end of 1"])
    }

    private var recorded: StubResponse {
        var response = StubResponse(head: ResponseHead(statusCode: 200), body: Data(count: 30))
        response.pace = Pace(
            secondsToFirstByte: 0.5,
            chunks: [Pace.Chunk(seconds: 0.25, length: 10), Pace.Chunk(seconds: 1.25, length: 10)]
        )
        return response
    }

    @Test func `recorded times count only where they are asked for`() {
        #expect(
            play(recorded, at: .immediate, isRecorded: true)
                == ["0.0: response 200", "0.0: 10 bytes", "0.0: 20 bytes", "0.0: end of 30"]
        )
        #expect(
            play(recorded, at: .recorded, isRecorded: true)
                == ["0.5: response 200", "0.25: 10 bytes", "1.0: 20 bytes", "0.0: end of 30"]
        )
        #expect(
            play(recorded, at: .delays(scaledBy: 2), isRecorded: true)
                == ["1.0: response 200", "0.5: 10 bytes", "2.0: 20 bytes", "0.0: end of 30"]
        )
    }

    @Test(arguments: [-1, 0, .nan, .infinity])
    func `an invalid speed factor means immediate playback`(factor: Double) {
        #expect(PlaybackSpeed.delays(scaledBy: factor) == .immediate)
    }

    @Test func `a wait longer than the request's timeout ends in a timeout`() {
        let late = StubResponse.text("a").delayed(by: .seconds(3))
        #expect(play(late, timeout: 2) == ["2.0: NSURLErrorDomain -1001"])
        #expect(play(late, timeout: 3) == ["3.0: response 200", "0.0: 1 bytes", "0.0: end of 1"])
        #expect(
            play(recorded, at: .recorded, isRecorded: true, timeout: 0.75)
                == ["0.5: response 200", "0.25: 10 bytes", "0.75: NSURLErrorDomain -1001"]
        )
    }
}

struct PlayedHeaderFieldsTests {
    private func played(
        _ fields: HeaderFields,
        body: Data?,
        statusCode: Int = 200,
        method: String = "GET"
    ) -> [String: String] {
        let request = StubRequest(method: method, url: URL(string: "http://api.test/a")!)
        let head = ResponseHead(statusCode: statusCode, headers: fields)
        let response = StubResponse(head: head).played(to: request, body: body)?.response
        return response.map { ResponseHead($0).headerFields.combinedBySpelling } ?? [:]
    }

    @Test func `header fields that describe the transfer are adjusted to the decoded body`() {
        let wire: HeaderFields = [
            "Content-Encoding": "gzip", "content-length": "41", "Transfer-Encoding": "chunked", "Etag": "\"a\"",
        ]
        #expect(played(wire, body: Data(count: 1100)) == ["Content-Length": "1100", "Etag": "\"a\""])
        #expect(played(["Content-Encoding": "gzip"], body: nil) == [:])
        #expect(played(["Content-Length": "41"], body: nil) == ["Content-Length": "0"])
    }

    @Test func `the content encoding identity is kept`() {
        #expect(played(["Content-Encoding": "identity"], body: nil) == ["Content-Encoding": "identity"])
    }

    @Test(arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
    func `a response that never has a body keeps its encoding and length fields`(method: String, statusCode: Int) {
        let wire: HeaderFields = ["Content-Encoding": "gzip", "Content-Length": "41"]
        #expect(
            played(wire, body: nil, statusCode: statusCode, method: method)
                == ["Content-Encoding": "gzip", "Content-Length": "41"]
        )
    }

    @Test(arguments: [("HEAD", 200), ("HEAD", 404), ("GET", 103), ("POST", 204), ("GET", 304)])
    func `a stub's body is not played where a server sends none`(method: String, statusCode: Int) throws {
        let url = try #require(URL(string: "http://api.test/a"))
        for body in ["text", ""] {
            var response = StubResponse.status(statusCode, headers: ["Content-Length": "4"])
            response.bytes = Data(body.utf8)
            let steps = Player(speed: .immediate).steps(
                for: response,
                to: StubRequest(method: method, url: url),
                isRecorded: false
            )
            #expect(steps.count == 2)
            guard case .response(let played as HTTPURLResponse, _) = steps[0].event,
                case .end(let body) = steps[1].event
            else {
                Issue.record("\(steps)")
                continue
            }
            #expect(body == nil)
            #expect(played.statusCode == statusCode)
            #expect(played.value(forHTTPHeaderField: "Content-Length") == "4")
        }
    }

    @Test func `names that differ in capitals reach the client as two fields, and repeated names as one`() {
        let fields: HeaderFields = ["X-A": "1", "x-a": "2", "x-b": "3", "X-A": "4"]
        #expect(played(fields, body: nil) == ["X-A": "1, 4", "x-a": "2", "x-b": "3"])
    }
}

struct PlayedErrorTests {
    private let url = URL(string: "http://api.test/a")!

    @Test func `a recorded URLError is restored with its URL`() throws {
        let failure = StubFailure(domain: NSURLErrorDomain, code: -1003, description: "no such host")
        let error = try #require(failure.error(failing: url) as? URLError)
        #expect(error.code == .cannotFindHost)
        #expect(error.failingURL == url)
        #expect(error.localizedDescription == "no such host")
        #expect((error as NSError).domain == NSURLErrorDomain)
    }

    @Test func `a code that the platform does not know keeps its domain and number`() {
        let error = StubFailure(domain: NSURLErrorDomain, code: -98765).error(failing: url) as NSError
        #expect(error.domain == NSURLErrorDomain)
        #expect(error.code == -98765)
    }

    @Test func `another error keeps domain, code and text`() {
        let error = StubFailure(domain: "Mine", code: 7, description: "so").error(failing: url) as NSError
        #expect(error.domain == "Mine")
        #expect(error.code == 7)
        #expect(error.localizedDescription == "so")
    }

    @Test func `a declared error is delivered as it is`() {
        struct Mine: Error, Equatable { var number = 3 }
        #expect(StubFailure(Mine()).error(failing: url) as? Mine == Mine())
    }

    @Test func `an NSError in the URL domain is delivered as a URLError`() {
        let error = StubFailure(NSError(domain: NSURLErrorDomain, code: -1001)).error(failing: url)
        #expect((error as? URLError)?.code == .timedOut)
    }
}
