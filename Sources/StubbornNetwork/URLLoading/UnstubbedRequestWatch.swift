import Foundation

/// Has every request that nothing stubs told of, in the whole process: those of `URLSession.shared`, and those of networks
/// that nobody listens to.
enum UnstubbedRequestWatch {
    /// Gets the diagnosis, and the call stack of who asked where that is known: it is called there then.
    typealias Tell = @Sendable (String, [String]) -> Void

    private struct State {
        var tell: Tell?
        var interception: SharedSessionInterception?
    }

    private static let state = Lock(State())

    /// Who is told of the unstubbed requests of networks that nobody listens to; `nil` for standard error.
    static var tell: Tell? { state.withLock { $0.tell } }

    /// Begins; where it has begun, another is told from now on.
    ///
    /// Requests of `URLSession.shared` that no interception takes fail from now on.
    static func begin(_ tell: @escaping Tell) {
        let isFirst = state.withLock { state in
            defer { state.tell = tell }
            return state.tell == nil
        }
        SharedSessionInterceptions.shared.setOnFallback { request in
            let name = StubRequest(request).map { Redactor(.standard, environment: [:]).redact(text: $0.description) }
            tell(UnstubbedRequestReport.textWithoutInterception(of: name), CallStack.ofCaller)
        }
        guard isFirst else { return }
        let engine = NetworkEngine(.ephemeral, environment: [:])
        engine.settings.withLock { settings in settings.onUnstubbedRequest = { _ in } }
        let interception = SharedSessionInterception(engine, name: "requests that nothing stubs", isFallback: true)
        state.withLock { $0.interception = interception }
    }

    /// Ends: requests of `URLSession.shared` reach the real server again.
    static func end() {
        let interception = state.withLock { state in
            defer { state = State() }
            return state.interception
        }
        SharedSessionInterceptions.shared.setOnFallback(nil)
        interception?.end()
    }
}
