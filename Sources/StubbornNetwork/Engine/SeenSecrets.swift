import Foundation

/// The secrets that a network's requests have told, by which a later request that no stub answers is read once more.
///
/// A recording replaces a secret wherever it stands, once it is recognised. Its request is found again only if the live one
/// is read in the same way. That takes time, so it is done where the rules alone have found no stub.
final class SeenSecrets: Sendable {
    private struct State {
        var redactor: Redactor
        /// How many exchanges of the log have been read.
        var count = 0
    }

    private let environment: [String: String]
    private let state: Lock<State>

    init(_ redaction: Redaction, environment: [String: String]) {
        self.environment = environment
        state = Lock(State(redactor: Redactor(redaction, environment: environment)))
    }

    /// Begins anew, with other rules.
    func begin(_ redaction: Redaction) {
        state.withLock { $0 = State(redactor: Redactor(redaction, environment: environment)) }
    }

    /// What knows the secrets of all requests so far.
    func redactor(in log: RequestLog) -> Redactor {
        state.withLock { state in
            let requests = log.requests(from: state.count)
            state.count += requests.count
            for request in requests { _ = state.redactor.redact(request) }
            return state.redactor
        }
    }

    /// The request as it is compared, if that is another than the rules alone make of it.
    func form(of request: StubRequest, in log: RequestLog) -> StubRequest? {
        let redactor = redactor(in: log)
        guard redactor.knownSecretCount > 0 else { return nil }
        let form = redactor.matchingForm(of: request)
        return form == redactor.redaction.matchingForm(of: request) ? nil : form
    }
}
