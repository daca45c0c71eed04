import Foundation

@testable import StubbornNetwork

/// The stubs of a file in one line: `a:200 b:404` are GET /a and /b with these statuses.
///
/// `a:!` is a lost connection, and `a:x` a request that the client cancelled.
enum StubShorthand {
    static func entries(_ shorthand: String) throws -> [StubFileEntry] {
        try shorthand.split(separator: " ").map { word in
            let parts = word.split(separator: ":")
            let failure = parts[1] == "x" ? StubResponse(failure: .cancelledByClient) : .lostConnection
            let stub = try Stub.get("http://a/\(parts[0])", Int(parts[1]).map { .status($0) } ?? failure)
            return StubFileEntry(rendering: stub, bodyEncoding: .base64)
        }
    }

    static func text(_ entries: [StubFileEntry]?) -> String {
        (entries ?? []).map { entry in
            let response = entry.stub.response
            let status = response.head.map { String($0.statusCode) } ?? (response.waitsToBeCancelled ? "x" : "!")
            return "\(entry.stub.request.url.path.dropFirst()):\(status)"
        }.joined(separator: " ")
    }
}

extension StubFileGeneration.LoadedStubs {
    var entries: [StubFileEntry] { stubs.map(\.entry) }
}
