import Foundation

/// Makes the events of a stub's response, and their times.
struct Player {
    /// An event, and the seconds between it and the one before it.
    struct Step: Sendable {
        var seconds: Double
        var event: ExchangeEvent
    }

    /// The speed at which the recorded times of a stub are played.
    let speed: PlaybackSpeed

    /// Returns the steps of an exchange.
    ///
    /// Nothing is waited for here.
    ///
    /// - Parameters:
    ///   - response: the response of the stub.
    ///   - request: the request that the stub answers.
    ///   - isRecorded: a Boolean value that indicates whether the times were recorded. `speed` scales recorded times
    ///     only.
    ///   - timeout: the request's `timeoutInterval`. A longer wait between two steps ends in `URLError.timedOut`, as
    ///     with a real server; on Linux the session does not do that. A stub that waits to be cancelled waits that
    ///     long, or 60 seconds if the request has no timeout.
    /// - Returns: the steps in their order, each with the wait before it.
    func steps(
        for response: StubResponse,
        to request: StubRequest,
        isRecorded: Bool,
        timeout: TimeInterval = .infinity
    ) -> [Step] {
        let factor = isRecorded ? speed.factor : 1
        let pace = factor > 0 ? response.pace : .immediate
        let body: Data?
        do {
            body = try response.content?.data()
        } catch {
            return [Step(seconds: 0, event: .failure(error))]
        }
        var steps: [Step] = []
        steps.reserveCapacity(3)
        if let head = response.head {
            guard (0...999).contains(head.statusCode) else {
                let error = StubbornNetworkError.statusCodeOutOfRange(head.statusCode, request.url)
                return [Step(seconds: 0, event: .failure(error))]
            }
            guard let played = response.played(to: request, body: body) else {
                let error = StubbornNetworkError.nothingToAnswerWith(request.url)
                return [Step(seconds: 0, event: .failure(error))]
            }
            let event = ExchangeEvent.response(played.response, needsSession: played.needsSession)
            steps.append(Step(seconds: pace.secondsToFirstByte * factor, event: event))
            if let body, !body.isEmpty { pace.appendParts(of: body, factor: factor, to: &steps) }
        }
        let wait = response.head == nil ? pace.secondsToFirstByte * factor : 0
        if response.waitsToBeCancelled {
            let week: TimeInterval = 7 * 24 * 60 * 60
            let seconds = timeout > 0 && timeout < week ? timeout : 60
            steps.append(Step(seconds: seconds, event: .failure(WaitedInVain())))
        } else if let failure = response.failure {
            steps.append(Step(seconds: wait, event: .failure(failure.error(failing: request.url))))
        } else {
            steps.append(Step(seconds: wait, event: .end(body: body)))
        }
        return steps.endingInTimeout(after: timeout, of: request.url)
    }
}

/// The error of a stub that waited to be cancelled, for the engine to replace by a report.
struct WaitedInVain: Error {}

extension Pace {
    /// Appends a step for each part of a body.
    fileprivate func appendParts(of body: Data, factor: Double, to steps: inout [Player.Step]) {
        if !chunks.isEmpty { return appendChunks(of: body, factor: factor, to: &steps) }
        guard let bytesPerSecond, bytesPerSecond > 0 else {
            steps.append(Player.Step(seconds: 0, event: .data(body)))
            return
        }
        // Ten parts a second, and at most a thousand.
        let length = max(1, bytesPerSecond / 10, body.count / 1000)
        for start in stride(from: body.startIndex, to: body.endIndex, by: length) {
            let part = body[start..<min(start + length, body.endIndex)]
            let seconds = Double(part.count) / Double(bytesPerSecond)
            steps.append(Player.Step(seconds: seconds * factor, event: .data(part)))
        }
    }

    private func appendChunks(of body: Data, factor: Double, to steps: inout [Player.Step]) {
        var start = body.startIndex
        var time = 0.0
        for (number, chunk) in chunks.enumerated() where start < body.endIndex {
            let isLast = number == chunks.count - 1
            let length = max(0, min(chunk.length, body.endIndex - start))
            let end = isLast ? body.endIndex : start + length
            guard end > start else { continue }
            let seconds = max(0, chunk.seconds - time)
            steps.append(Player.Step(seconds: seconds * factor, event: .data(body[start..<end])))
            time = max(time, chunk.seconds)
            start = end
        }
    }
}

extension [Player.Step] {
    /// Returns the steps before a longer wait than `timeout`, followed by the error; all steps if there is no such
    /// wait.
    fileprivate func endingInTimeout(after timeout: TimeInterval, of url: URL) -> Self {
        guard timeout > 0, let tooLate = firstIndex(where: { $0.seconds > timeout }) else { return self }
        return prefix(tooLate) + [
            Player.Step(seconds: timeout, event: .failure(StubFailure.timedOut.error(failing: url)))
        ]
    }
}
