import Foundation
import Testing

@testable import StubbornNetwork

/// What the errors say that no other test reads word for word.
struct ErrorTextTests {
    private let url = URL(string: "https://user:secret@api.test/a?token=secret")!

    @Test func `the error for response(to:) in a recording mode suggests the session`() {
        #expect(
            StubbornNetworkError.needsServer(url, mode: "recording").message == """
                No stub answers https://api.test/a. The mode recording sends such a request to the real server, but \
                response(to:) cannot. Use network.session, or play back.
                """
        )
    }

    @Test func `errors have no token of the path, and no fragment`() throws {
        let token = "glpat-" + "Zx8kQ2mN7pLr4TvWy1Bc"
        let url = try #require(URL(string: "https://api.test/hooks/\(token)/job#secret"))
        let undecodable = #expect(throws: StubbornNetworkError.self) {
            try StubRequest(url: url).decodedBody(as: Int.self)
        }
        let ambiguous = StubbornNetworkError.ambiguousInterception(url, inForce: ["one", "two"])
        for error in [undecodable, ambiguous] {
            let text = error?.message ?? ""
            #expect(text.contains("https://api.test/hooks/") && !text.contains(token), "\(text)")
            #expect(!text.contains("#secret"))
            #expect(error?.url?.absoluteString.contains(token) == false)
        }
    }

    @Test func `the error for a stub without content asks for a response or an error`() {
        #expect(
            StubbornNetworkError.noAnswer(url).message == """
                The stub for https://api.test/a has neither a response nor an error. Give it one of them.
                """
        )
    }

    @Test func `the error for an unreadable upload suggests a data task`() {
        #expect(
            StubbornNetworkError.unreadableBody(URL(string: "https://api.test/a")!).message == """
                The body of the upload to https://api.test/a cannot be read: this version of Foundation does not expose \
                it. The request was refused, because it would have been sent without its body. Use a data task with \
                `httpBody`.
                """
        )
    }

    @Test func `the error for a WebSocket says what to do in the test`() {
        #expect(
            StubbornNetworkError.webSocket(url).message == """
                The WebSocket to https://api.test/a was refused: stubs cannot answer a session's WebSocket task. The real \
                server was not called. Let your code take `any WebSocketConnection`, and pass it `network.webSocket(to: url)` \
                in the test.
                """
        )
        #expect(
            StubbornNetworkError.webSocketsUnavailable(url).message == """
                The WebSocket to https://api.test/a was not opened: this URLSession has no WebSockets, because its libcurl has \
                none. To record here, connect with a different client: network.webSocket(with: request) { request in … }.
                """
        )
    }

    @Test func `the error for a version that lacks a part names both`() {
        #expect(
            StubbornNetworkError.unsupportedVersion(of: "Foundation", without: "URLSessionTask.session").message == """
                This version of Foundation is not supported yet: URLSessionTask.session, which The Stubborn Network reads, \
                is missing or different. Use a version of Swift that Documentation/Architecture.md lists, or a newer version of \
                The Stubborn Network.
                """
        )
    }

    @Test func `the error for an unusable stub name says what a name needs`() {
        #expect(
            StubbornNetworkError.unusableName("-[]", origin: "STUB_NAME").message == """
                No stub file can be named "-[]" (STUB_NAME). The name needs a character other than brackets and hyphens, \
                and the directory must not be empty.
                """
        )
    }

    @Test func `an error is an NSError with its code, its text and its URL`() {
        let error = StubbornNetworkError.networkGone(URL(string: "https://api.test/a")!) as NSError
        #expect(error.domain == "StubbornNetwork.StubbornNetworkError")
        #expect(error.code == 3)
        #expect(error.localizedDescription.hasPrefix("The network for the session of https://api.test/a"))
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == URL(string: "https://api.test/a"))
    }
}
