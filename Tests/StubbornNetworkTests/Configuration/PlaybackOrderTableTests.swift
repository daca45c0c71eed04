import Foundation
import Testing

@testable import StubbornNetwork

/// The methods that `.stateful` distinguishes, and the names of the orders.
struct PlaybackOrderTableTests {
    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"], ["GET", "HEAD", "OPTIONS"])
    func `what was recorded after a change is not read before the change`(change: String, read: String) throws {
        let directory = TemporaryDirectory()
        let stubs = [(read, "before"), (change, "change"), (read, "after")].map { method, mark in
            """
            { "request" : { "method" : "\(method)", "url" : "https://a.test/a" },
              "response" : { "headerFields" : [ "X-Mark[:::]\(mark)" ], "statusCode" : 200 } }
            """
        }
        try directory.write("[\(stubs.joined(separator: ","))]", to: "order.json")
        let network = StubbornNetwork(.persistent(name: "order", path: directory.path)!, environment: .newRun)
        network.playbackOrder = .stateful
        let marks = try [read, read, change, read, read].map { method in
            var request = URLRequest(url: try URL.parsed("https://a.test/a"))
            request.httpMethod = method
            return try network.response(to: request).1.field("X-Mark")
        }
        #expect(marks == ["before", "before", "change", "after", "after"])
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS"], ["GET", "HEAD", "OPTIONS", "TRACE"])
    func `a request that only reads is no change`(read: String, other: String) throws {
        guard read != other else { return }
        let directory = TemporaryDirectory()
        let stubs = [(read, "1"), (other, "other"), (read, "2")].map { method, mark in
            """
            { "request" : { "method" : "\(method)", "url" : "https://a.test/a" },
              "response" : { "headerFields" : [ "X-Mark[:::]\(mark)" ], "statusCode" : 200 } }
            """
        }
        try directory.write("[\(stubs.joined(separator: ","))]", to: "order.json")
        let network = StubbornNetwork(.persistent(name: "order", path: directory.path)!, environment: .newRun)
        network.playbackOrder = .stateful
        let marks = try [read, read].map { method in
            var request = URLRequest(url: try URL.parsed("https://a.test/a"))
            request.httpMethod = method
            return try network.response(to: request).1.field("X-Mark")
        }
        #expect(marks == ["1", "2"])
    }

    @Test(arguments: [
        (PlaybackOrder.sequenceThenLast, ".sequenceThenLast"), (.sequence, ".sequence"), (.firstMatch, ".firstMatch"),
        (.stateful, ".stateful"),
    ])
    func `an order is described by its code`(order: PlaybackOrder, code: String) {
        #expect(order.description == code)
    }
}
