import Foundation

/// Plays a stub's response: what happens, and when.
struct Player {
    /// One thing that happens, `seconds` after the one before it.
    struct Step: Sendable {
        var seconds: Double
        var event: ExchangeEvent
    }

    /// How the recorded times of a stub are played.
    let speed: PlaybackSpeed

    /// The steps of an exchange. Pure: nothing is waited for here.
    ///
    /// - Parameters:
    ///   - response: a response or a failure, with its pace.
    ///   - isRecorded: whether the pace is a recorded one, which `speed` scales, or a declared one, which holds as it is.
    ///   - timeout: the request's `timeoutInterval`. A longer wait between two parts ends in `URLError.timedOut`, as
    ///     with a real server; on Linux nobody else sees to it.
    func steps(
        for response: StubResponse,
        to request: StubRequest,
        isRecorded: Bool,
        timeout: TimeInterval = .infinity
    ) -> [Step] {
        let factor = isRecorded ? speed.factor : 1
        let pace = factor > 0 ? response.pace : .immediate
        var steps: [Step] = []
        let body: Data?
        do {
            body = try response.content?.data()
        } catch {
            return [Step(seconds: 0, event: .failure(error))]
        }
        if let head = response.head {
            guard (0...999).contains(head.statusCode) else {
                let error = StubbornNetworkError.statusCodeOutOfRange(head.statusCode, request.url)
                return [Step(seconds: 0, event: .failure(error))]
            }
            guard let urlResponse = response.played(to: request, body: body)?.response else {
                let error = StubbornNetworkError.nothingToAnswerWith(request.url)
                return [Step(seconds: 0, event: .failure(error))]
            }
            steps.append(Step(seconds: pace.secondsToFirstByte * factor, event: .response(urlResponse)))
            if let body, !body.isEmpty {
                steps += pace.parts(of: body).map { Step(seconds: $0.seconds * factor, event: .data($0.data)) }
            }
        }
        let wait = response.head == nil ? pace.secondsToFirstByte * factor : 0
        if let failure = response.failure {
            steps.append(Step(seconds: wait, event: .failure(failure.error(failing: request.url))))
        } else {
            steps.append(Step(seconds: wait, event: .end(body: body)))
        }
        return steps.endingInTimeout(after: timeout, of: request.url)
    }
}

extension Pace {
    /// The parts of a body, each with the seconds since the one before it.
    fileprivate func parts(of body: Data) -> [(seconds: Double, data: Data)] {
        if chunks.isEmpty {
            guard let bytesPerSecond, bytesPerSecond > 0 else { return [(0, body)] }
            return throttledParts(of: body, bytesPerSecond: bytesPerSecond)
        }
        var parts: [(Double, Data)] = []
        var start = body.startIndex
        var time = 0.0
        for (number, chunk) in chunks.enumerated() where start < body.endIndex {
            let isLast = number == chunks.count - 1
            let length = max(0, min(chunk.length, body.endIndex - start))
            let end = isLast ? body.endIndex : start + length
            guard end > start else { continue }
            parts.append((max(0, chunk.seconds - time), body[start..<end]))
            time = max(time, chunk.seconds)
            start = end
        }
        return parts
    }

    /// Ten parts a second, and no more than a thousand.
    private func throttledParts(of body: Data, bytesPerSecond: Int) -> [(seconds: Double, data: Data)] {
        let length = max(1, bytesPerSecond / 10, body.count / 1000)
        return stride(from: body.startIndex, to: body.endIndex, by: length).map { start in
            let part = body[start..<min(start + length, body.endIndex)]
            return (Double(part.count) / Double(bytesPerSecond), part)
        }
    }
}

extension [Player.Step] {
    fileprivate func endingInTimeout(after timeout: TimeInterval, of url: URL) -> Self {
        guard timeout > 0, let tooLate = firstIndex(where: { $0.seconds > timeout }) else { return self }
        return prefix(tooLate) + [
            Player.Step(seconds: timeout, event: .failure(StubFailure.timedOut.error(failing: url)))
        ]
    }
}
