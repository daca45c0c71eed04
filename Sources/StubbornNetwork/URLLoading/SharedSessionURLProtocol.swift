import Foundation

/// The `URLProtocol` of an interception of `URLSession.shared`. Each interception has a class of its own, made from this
/// one, because the class is all that a loading request knows of where it comes from.
class SharedSessionURLProtocol: StubbedSessionURLProtocol {
    /// Whether `canInit` promised this request to somebody and nobody has asked who that is.
    private var isPromised = true

    /// Takes the requests of its own interception. Called where a request is started; on Linux the task's values are
    /// visible there, and nowhere later.
    override class func canInit(with request: URLRequest) -> Bool {
        let task = SharedSessionInterception.ofTask?.number
        return SharedSessionInterceptions.shared.claim(request, for: self, task: task) { super.canInit(with: request) }
    }

    override func findEngine() -> NetworkEngine? {
        guard isPromised else { return nil }
        isPromised = false
        return SharedSessionInterceptions.shared.redeem(for: Self.self)
    }

    deinit {
        // Cancelled before it started.
        _ = findEngine()
    }
}

/// The `URLProtocol` that is asked behind those of the interceptions, and fails what none of them took.
///
/// What a protocol refuses is sent for real; while an interception is in force, nothing of `URLSession.shared` may be.
final class UnclaimedRequestURLProtocol: StubbedSessionURLProtocol {
    private var refusal: ClientDelivery?

    override class func canInit(with request: URLRequest) -> Bool {
        guard super.canInit(with: request) else { return false }
        return SharedSessionInterceptions.shared.refuse(request.url, task: SharedSessionInterception.ofTask)
    }

    override func startLoading() {
        guard refusal == nil else { return }
        let delivery = ClientDelivery(self)
        refusal = delivery
        delivery.send(.failure(SharedSessionInterceptions.shared.reasonForRefusal(of: request.url)))
        delivery.fetch()
    }

    override func stopLoading() {
        if task?.state != .suspended { refusal?.stop() }
    }
}
