import Foundation

/// A watch that reports every unstubbed request of the process to one listener.
///
/// These are the requests of `URLSession.shared`, and those of networks without a handler.
enum UnstubbedRequestWatch {
    private static let interception = Lock<SharedSessionInterception?>(nil)

    /// Starts the watch, or replaces its listener.
    ///
    /// Requests of `URLSession.shared` that no interception takes fail from now on.
    ///
    /// - Parameter listener: gets the report, and the call stack of the code that made the request, if known. It is
    ///   called in the context of that code then.
    static func begin(_ listener: @escaping Engine.UnstubbedRequestListener) {
        Engine.unstubbedRequestListener.withLock { $0 = listener }
        SharedSessionInterceptions.shared.setOnFallback { request in
            let name = StubRequest(request).map { Redactor(.standard, environment: [:]).redact(text: $0.description) }
            listener(UnstubbedRequestReport.textWithoutInterception(of: name), CallStack.ofCaller)
        }
        interception.withLock { interception in
            guard interception == nil else { return }
            let engine = Engine(.ephemeral, environment: [:])
            engine.settings.withLock { settings in settings.onUnstubbedRequest = { _ in } }
            interception = SharedSessionInterception(engine, name: "requests that nothing stubs", isFallback: true)
        }
    }

    /// Ends the watch.
    ///
    /// Requests of `URLSession.shared` reach the real server again.
    static func end() {
        Engine.unstubbedRequestListener.withLock { $0 = nil }
        SharedSessionInterceptions.shared.setOnFallback(nil)
        let ended = interception.withLock { interception in
            defer { interception = nil }
            return interception
        }
        ended?.end()
    }
}
