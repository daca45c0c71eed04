import Foundation

extension StubbornNetwork {
    /// Holds the answers to requests until the test releases them.
    ///
    ///     let held = network.hold(.path("/news"))
    ///     model.load()
    ///     await held.requested()
    ///     #expect(model.isLoading)
    ///     held.release()
    ///
    /// The request gets the same answer as without the call: from a declared stub, a recorded stub, or the real server.
    /// A request that no stub answers fails at once. `response(to:)` without `await` is not held.
    ///
    /// - Parameters:
    ///   - pattern: the requests to hold.
    ///   - part: the number of parts that the client gets before the rest is held; none by default. Events, lines of JSON and
    ///     parts of a `multipart/mixed` body are parts, however they arrive. In other bodies, a part is what arrives at once.
    ///   - file: the file of the call, for reports.
    ///   - line: the line of the call, for reports.
    /// - Returns: the held requests. Requests that are still held when the test ends fail, and so does the test.
    public func hold(
        _ pattern: RequestPattern,
        afterPart part: Int = 0,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> HeldRequests {
        let held = HeldRequests(pattern, afterPart: part, location: location(file, line)) { [weak engine] failure in
            guard let engine else { return }
            let failTest = engine.settings.withLock { $0.onFailureOfTest }
            failTest?(failure) ?? StandardError.write(failure)
        }
        engine.holds.withLock { $0.append(held) }
        return held
    }

    /// Declares a stub, and holds its answers until the test releases them.
    ///
    ///     let held = network.hold(.path("/news"), with: .json(["title": "Hello"]))
    public func hold(
        _ pattern: RequestPattern,
        afterPart part: Int = 0,
        with response: StubResponse,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> HeldRequests {
        stub(pattern, with: response, file: file, line: line)
        return hold(pattern, afterPart: part, file: file, line: line)
    }
}
