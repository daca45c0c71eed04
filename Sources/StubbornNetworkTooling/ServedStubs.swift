import Foundation
@_spi(Tools) import StubbornNetwork

extension StubbornNetworkConfiguration {
    /// Stubs in a file at any path.
    @_spi(Tools) public static func stubFile(at url: URL) -> Self {
        Self(kind: .persistent([StubFileLocation(file: url)]))
    }
}

/// The recorded stubs of a network, for clients that are not `URLSession`.
///
/// The request log keeps only the first few thousand different requests, so that a server can answer any number of
/// requests.
@_spi(Tools) public final class ServedStubs: Sendable {
    /// A part of a response, and the seconds since the previous part.
    public struct Step: Sendable {
        /// The seconds since the previous part.
        public let seconds: Double
        /// The part.
        public let event: Event
    }

    /// A part of a response.
    public enum Event: Sendable {
        /// The status and the header fields as they were recorded, including repeated ones.
        case head(ResponseHead)
        /// Some bytes of the body.
        case data(Data)
        /// A web socket, which plays its frames.
        case webSocket(any WebSocketConnection)
        /// The end of a complete response.
        case end
        /// The error of the stub; a `StubbornNetworkError` with a `report` when no stub answers.
        case failure(any Error)
    }

    private let engine: Engine
    /// The requests that are in the log.
    private let logged = Lock<Set<StubRequest>>([])
    private static let limit = 4096

    /// Reads the stub file of a network.
    ///
    /// - Throws: `StubbornNetworkError` when there is no stub file, or it cannot be read.
    public init(of network: StubbornNetwork) throws {
        try network.loadStubs()
        // Otherwise, each report is also written to standard error.
        network.onUnstubbedRequest = { _ in }
        engine = network.engine
        engine.test.withLock { $0.target = .command }
    }

    /// The requests that the stubs answer, in their order.
    public var requests: [StubRequest] { engine.recorded.stubs().map(\.request) }

    /// Returns the parts of the response to a request, and marks the stub that answers as used.
    ///
    /// This function does not wait: the caller delivers each part at its time.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - makesReport: A Boolean value that indicates whether a request that no stub answers fails with a report, which takes
    ///     longer than the search. Web sockets always do.
    /// - Returns: The parts; none if no stub answers and there is no report.
    public func steps(for request: StubRequest, makesReport: Bool = true) -> [Step] {
        if request.isWebSocket {
            do {
                return [Step(seconds: 0, event: .webSocket(try engine.openStubbedWebSocket(for: request)))]
            } catch {
                return [Step(seconds: 0, event: .failure(error))]
            }
        }
        let current = engine.settings.current
        let settings = current.settings
        let stub = engine.recorded.take(for: request, by: settings.rules)
        if stub == nil, !makesReport { return [] }
        if logged.withLock({ $0.count < Self.limit && $0.insert(request).inserted }) { _ = engine.log.begin(request) }
        guard let stub else { return [Step(seconds: 0, event: .failure(engine.unstubbed(request, by: current)))] }
        return Player(speed: settings.playbackSpeed, cancellationTimeout: settings.cancellationTimeout.seconds)
            .steps(for: stub.response, to: request, isRecorded: true)
            .map { step in
                let event: Event =
                    switch step.event {
                    case .response, .head: .head(stub.response.head ?? ResponseHead(statusCode: 200))
                    case .data(let data): .data(data.indexedFromZero)
                    case .end: .end
                    case .failure(let error): .failure(engine.clientError(error, of: request))
                    }
                return Step(seconds: step.seconds, event: event)
            }
    }

    /// Returns the positions of the stubs that match a request, and marks the one that answers as used.
    ///
    /// - Returns: The positions, from 1; the position of the stub that answers, if one is not used up; and the matchers
    ///   as code.
    public func matching(_ request: StubRequest) -> (positions: [Int], answer: Int?, matchers: String) {
        let rules = engine.settings.current.settings.rules
        let matching = { self.engine.recorded.diagnose(request, by: rules).usedUp }
        let before = matching()
        let isAnswered = engine.recorded.take(for: request, by: rules) != nil
        let answer = zip(before, matching()).first { !$0.isUsed && $1.isUsed }?.1 ?? before.last
        return (before.map(\.position), isAnswered ? answer?.position : nil, rules.matchers.description)
    }
}

extension StubbornNetwork {
    /// Returns a request for a message, without the secrets of this request and of earlier ones.
    @_spi(Tools) public func shownForm(of request: StubRequest) -> StubRequest {
        engine.redactorForReports().shownForm(of: request)
    }
}

extension ResponseHead {
    /// The reason why a server cannot send this response; `nil` if it can.
    ///
    /// A final response has a status of at least 200. A lower status announces a further response, and most servers and
    /// clients fail or wait if none follows.
    @_spi(Tools) public var unsendableReason: String? {
        statusCode >= 200
            ? nil : "The response has the status \(statusCode), which is not final, so a server cannot send it."
    }
}
