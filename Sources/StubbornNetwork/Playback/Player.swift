import Foundation

/// The conversion of a stub's response into events and their times.
package struct Player {
    /// An event, and the seconds since the previous event.
    package struct Step: Sendable {
        package var seconds: Double
        package var event: ExchangeEvent
    }

    /// The speed at which the recorded times of a stub are played.
    let speed: PlaybackSpeed

    /// The seconds that a stub waits to be cancelled.
    let cancellationTimeout: TimeInterval

    /// A Boolean value that indicates whether the client is not a session, and gets a head in place of a response.
    var givesHeads = false

    package init(speed: PlaybackSpeed, cancellationTimeout: TimeInterval = 2) {
        (self.speed, self.cancellationTimeout) = (speed, cancellationTimeout)
    }

    /// Returns the events of an exchange in their order, each with the wait before it; this function does not wait.
    ///
    /// A response that never has a body, such as one to `HEAD`, is played without the stub's body.
    ///
    /// `speed` scales times that were recorded. If the wait between two steps is longer than `timeout`, it ends in
    /// `URLError.timedOut`, as with a real server; on Linux, the session does not do that. A stub that waits to be
    /// cancelled waits for its own timeout, or for the timeout of the request if that is shorter.
    package func steps(
        for response: StubResponse,
        to request: StubRequest,
        isRecorded: Bool,
        timeout: TimeInterval = .infinity
    ) -> [Step] {
        let factor = isRecorded ? speed.factor : 1
        let pace = factor > 0 ? response.pace : response.pace.withoutTimes
        let body = response.isWithoutBody(for: request) ? nil : response.body
        var steps: [Step] = []
        steps.reserveCapacity(3)
        if let head = response.head {
            guard (0...999).contains(head.statusCode), let played = response.played(to: request, body: body) else {
                let error = StubbornNetworkError.statusCodeOutOfRange(head.statusCode, Redactor.shown(request.url))
                return [Step(seconds: 0, event: .failure(error))]
            }
            let event: ExchangeEvent =
                givesHeads
                ? .head(response.played(head, to: request, body: body))
                : .response(played.response, needsSession: played.needsSession)
            steps.append(Step(seconds: pace.secondsToFirstByte * factor, event: event))
            if let body, !body.isEmpty {
                steps += pace.parts(of: body, in: played.streamFormat, factor: factor)
            }
        }
        let wait = response.head == nil ? pace.secondsToFirstByte * factor : 0
        switch response.failure {
        // The end cannot be reported to a client that got no response.
        case nil where response.head == nil:
            steps.append(Step(seconds: 0, event: .failure(StubbornNetworkError.noAnswer(Redactor.shown(request.url)))))
        case nil: steps.append(Step(seconds: 0, event: .end(body: body)))
        case let failure? where failure.waitsToBeCancelled:
            let seconds = timeout > 0 ? min(timeout, max(0, cancellationTimeout)) : max(0, cancellationTimeout)
            steps.append(Step(seconds: seconds, event: .failure(NotCancelledInTime())))
        case let failure?: steps.append(Step(seconds: wait, event: .failure(failure.error(failing: request.url))))
        }
        guard timeout > 0, let tooLate = steps.firstIndex(where: { $0.seconds > timeout }) else { return steps }
        let error = StubFailure.timedOut.error(failing: request.url)
        return steps.prefix(tooLate) + [Step(seconds: timeout, event: .failure(error))]
    }
}

/// The error of a stub that was not cancelled in time.
///
/// The engine replaces it by a report.
struct NotCancelledInTime: Error {}

extension Pace {
    /// The largest part of a body that is delivered at once, in bytes.
    private static let maximumPartByteCount = 256 * 1024

    /// Returns a step for each part of a body.
    ///
    /// Without times, the body is split into the parts of its format: a client of a stream gets them one by one, as from a server.
    fileprivate func parts(of body: Data, in format: StreamFormat?, factor: Double) -> [Player.Step] {
        if let last = chunks.last, format == nil || last.seconds > 0 { return recordedParts(of: body, factor: factor) }
        if let format, bytesPerSecond == nil {
            return format.parts(of: body).map { Player.Step(seconds: 0, event: .data($0)) }
        }
        // Ten parts a second, and at most a thousand.
        let length = bytesPerSecond.map { max(1, $0 / 10, body.count / 1000) } ?? Self.maximumPartByteCount
        return stride(from: body.startIndex, to: body.endIndex, by: length).map { start in
            let part = body[start..<min(start + length, body.endIndex)]
            let seconds = bytesPerSecond.map { Double(part.count) / Double($0) } ?? 0
            return Player.Step(seconds: seconds * factor, event: .data(part))
        }
    }

    private func recordedParts(of body: Data, factor: Double) -> [Player.Step] {
        var (steps, rest, time) = ([Player.Step](), body, 0.0)
        for (number, chunk) in chunks.enumerated() {
            let isLast = number == chunks.count - 1
            let part = isLast ? rest : rest.prefix(max(0, chunk.length))
            guard !part.isEmpty else { continue }
            steps.append(Player.Step(seconds: max(0, chunk.seconds - time) * factor, event: .data(part)))
            time = max(time, chunk.seconds)
            rest = rest.dropFirst(part.count)
        }
        return steps
    }
}

extension StubResponse {
    /// Returns the response that the client receives before `body`; `nil` if Foundation cannot make one.
    ///
    /// Making a response takes longer than the rest of a playback, so a stub keeps its latest one for the next equal
    /// request. Redirects and challenges are made again for each request.
    func played(to request: StubRequest, body: Data?) -> PlayedResponse? {
        guard let head else { return nil }
        let (url, byteCount) = (head.url ?? request.url, body?.count ?? 0)
        let keepsFields = keepsFields(for: request)
        let last = played.withLock { $0 }
        if let last, last.url == url, last.byteCount == byteCount, last.keepsFields == keepsFields { return last }
        let playedHead = played(head, to: request, body: body)
        guard let response = playedHead.httpResponse(to: url) else { return nil }
        let made = PlayedResponse(
            url: url,
            byteCount: byteCount,
            keepsFields: keepsFields,
            response: response,
            needsSession: response.needsSession,
            streamFormat: StreamFormat(head.headerFields["Content-Type"], body: body)
        )
        if HTTPURLResponse.mayBeShared, head.statusCode < 300 { played.withLock { $0 = made } }
        return made
    }

    /// Returns the head that the client receives before `body`, with repeated fields unchanged.
    fileprivate func played(_ head: ResponseHead, to request: StubRequest, body: Data?) -> ResponseHead {
        var head = head
        head.url = head.url ?? request.url
        if !keepsFields(for: request) {
            head.headerFields = head.headerFields.ofDecodedBody(byteCount: body?.count ?? 0)
        }
        return head
    }

    /// Returns a Boolean value that indicates whether the header fields are kept, because they do not describe the
    /// played body.
    private func keepsFields(for request: StubRequest) -> Bool { isWithoutBody(for: request) || failure != nil }

    /// Returns a Boolean value that indicates whether a server sends no body, regardless of the stub (RFC 9110, section
    /// 6.4.1).
    fileprivate func isWithoutBody(for request: StubRequest) -> Bool {
        guard let status = head?.statusCode else { return false }
        return request.method == "HEAD" || (100...199).contains(status) || status == 204 || status == 304
    }
}

extension HeaderFields {
    /// Returns the fields for the decoded body of a stub, which has the fields of the encoded one.
    ///
    /// Two kinds of responses keep their fields: a response that never has a body describes the body of a different
    /// response, and a response with an incomplete body states the length of the complete body.
    fileprivate func ofDecodedBody(byteCount: Int) -> HeaderFields {
        var fields = self
        if fields["Content-Encoding"]?.lowercased() != "identity" { fields["Content-Encoding"] = nil }
        fields["Transfer-Encoding"] = nil
        if fields["Content-Length"] != nil { fields["Content-Length"] = String(byteCount) }
        return fields
    }
}
