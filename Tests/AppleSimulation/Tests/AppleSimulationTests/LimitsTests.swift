import Foundation
import Testing

/// Each sentence of the article "Limits" about Apple's platforms is what tests of the simulation show.
struct LimitsTests {
    /// The lines of the article, and below each the names of tests; none for a sentence about Apple's headers.
    private static let sentences = """
        | a session's WebSocket tasks | stubs cannot answer them: a handshake fails with an error. Use a [socket of the \
        network](WebSockets.md) |
            the handshake of a WebSocket fails, and does not use the stub for its URL
        | progress of uploads (`didSendBodyData`) and downloads (`countOfBytesExpectedToReceive`) | \
        a custom protocol cannot report it on Apple's platforms. Call your progress code directly in the test |
        - Closures of computed stubs, and ``StubbornNetwork/StubbornNetwork/onUnstubbedRequest``, must not block: \
        all sessions share their queue or thread.
            a closure of a stub runs on the thread of the loader
        - A delegate receives streams, and other bodies without a length, in parts. `data(for:)` returns them as a whole. \
        `bytes(for:)`, which exists only on Apple's platforms, is untested.
            a body arrives in parts for each kind of task
        Nobody has run the library on Apple's platforms yet. Their column is based on Apple's documentation and on tests \
        with a simulation.
        | | Linux | Apple's platforms |
        |---|---|---|
        | download tasks | fail, because Foundation would crash. Use a data task | yes |
            a download is answered
        | `willPerformHTTPRedirection` is called | yes | for delegates of tasks, and of sessions that the network makes; \
        a refused redirect takes half a second |
            a task's own delegate is asked about redirects
            a delegate that refuses a redirect gets its response
            the delegate of a session that others make is not asked about redirects
            a refused redirect takes half a second, and longer in the simulation
        | basic challenges, stored credentials and cookies work; so do `timeoutInterval` and `timeoutIntervalForRequest`, \
        for slow stubs | yes | yes, but as set in the first session |
            a credential repeats the request
            a stored credential answers without a question
            the cookies of each response are stored
            a response that takes longer than the request's timeout is a timeout
            the settings of a network's first session apply to all of its sessions
        | matchers compare `httpAdditionalHeaders` | no: set the field on the request | yes |
            a session's additional header fields take part in matching
        | `timeoutIntervalForResource` ends a recording | no: Foundation does not apply it to a custom protocol | \
        yes; the stub is played as timed out |
            a request that the session's resource timeout ends is played as it was, before a response and after
        | the body of an upload task | is read | is read, or the request fails with an error |
            the real server gets the body
            an upload that does not show its body is refused
        | `URLSession.shared` intercepted by several networks | in separate tasks | the request fails with an error |
            requests fail while two networks intercept
        | a task's error | is the error itself | is an `NSError` with the same domain, code and user info; use \
        `StubbornNetworkError(error)` |
            a declared failure reaches the caller with its message and its URL
            the error of an unstubbed request is found in the system's
        On Apple's platforms, a protocol does not know its session, so the network's first session is used. A session that is \
        not invalidated may keep its network alive until the process exits: call \
        ``StubbornNetwork/StubbornNetwork/finishRecording()``.
            the settings of a network's first session apply to all of its sessions
            a recording is complete at its end although the system keeps its session
        """.components(separatedBy: "\n")

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    /// The lines of the article: table rows, and paragraphs and items without their line breaks.
    private func articleLines() throws -> [String] {
        let article = Self.folder.appendingPathComponent(
            "../../../../Sources/StubbornNetwork/StubbornNetwork.docc/Limits.md"
        )
        let text = try String(contentsOf: article, encoding: .utf8).replacingOccurrences(of: "\n  ", with: " ")
        return text.components(separatedBy: "\n\n").flatMap { (part: String) -> [String] in
            let lines = part.components(separatedBy: "\n")
            let isParagraph = !part.hasPrefix("|") && !part.hasPrefix("-")
            return isParagraph ? [lines.joined(separator: " ")] : lines
        }
    }

    @Test func `each sentence about Apple's platforms in the article Limits is in the list`() throws {
        let lines = try articleLines()
        let rows = try #require(lines.firstIndex { $0.hasPrefix("| | Linux |") })
        let end = try #require(lines[rows...].firstIndex { !$0.hasPrefix("|") })
        let isAboutApple = lines[rows..<end] + lines.filter { $0.contains("Apple's platforms") }
        #expect(isAboutApple.count >= 12)
        for line in isAboutApple { #expect(Self.sentences.contains(line)) }
        for sentence in Self.sentences where !sentence.hasPrefix(" ") { #expect(lines.contains(sentence)) }
    }

    @Test func `each test in the list exists`() throws {
        let files = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
        let code = try files.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        for test in Self.sentences where test.hasPrefix(" ") {
            #expect(code.contains("func `\(test.trimmingCharacters(in: .whitespaces))`"))
        }
    }
}
