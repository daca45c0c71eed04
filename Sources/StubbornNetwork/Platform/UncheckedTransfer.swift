import Foundation

/// Carries a value that the compiler does not know to be sendable to the one place where it is used.
///
/// `URLProtocol` cannot be made sendable (Foundation declares the conformance unavailable), and yet its client has to be
/// called later than in `startLoading`. Whoever unwraps the value vouches for being on the client's thread.
struct UncheckedTransfer<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
