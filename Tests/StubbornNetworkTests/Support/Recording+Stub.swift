@testable import StubbornNetwork

extension Recording {
    /// A recording that has ended, as a recorder stores it.
    init(_ stub: Stub, requestNumber: Int, replaces: Bool = false, redactor: Redactor = Redactor(.none)) {
        self.init(
            requestNumber: requestNumber,
            live: stub.request,
            request: stub.request,
            replaces: replaces,
            redactor: redactor
        )
        _ = end(with: stub.response)
    }
}
