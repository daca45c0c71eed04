import Foundation

/// The secrets that a network's requests have contained so far.
///
/// A recording replaces a secret everywhere once it is recognized, so a live request must be compared with the same
/// secrets replaced. That takes time, and is done only if a request has no stub otherwise.
final class SeenSecrets: Sendable {
    private struct State {
        var redactor: Redactor
        /// The number of exchanges in the log whose requests have been searched.
        var count = 0
    }

    private let state: Lock<State>

    init(_ redaction: Redaction) {
        state = Lock(State(redactor: Redactor(redaction)))
    }

    /// Forgets all secrets and uses other rules from now on.
    func restart(_ redaction: Redaction) {
        state.withLock { $0 = State(redactor: Redactor(redaction)) }
    }

    /// Returns a redactor that knows the secrets of all requests in the log.
    func redactor(in log: RequestLog) -> Redactor {
        state.withLock { state in
            let requests = log.requests(from: state.count)
            state.count += requests.count
            for request in requests { _ = state.redactor.redact(request) }
            return state.redactor
        }
    }

    /// Returns the request with the secrets replaced; `nil` if the rules alone give the same.
    func form(of request: StubRequest, in log: RequestLog) -> StubRequest? {
        let redactor = redactor(in: log)
        guard redactor.knownSecretCount > 0 else { return nil }
        let form = redactor.matchingForm(of: request)
        return form == redactor.redaction.matchingForm(of: request) ? nil : form
    }
}
