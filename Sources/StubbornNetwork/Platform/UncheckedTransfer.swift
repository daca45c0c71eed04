import Foundation

/// A value that is passed between threads although the compiler cannot check it.
///
/// `URLProtocol` cannot be sendable (Foundation declares the conformance unavailable), but its client has to be called
/// after `startLoading` too. The code that uses the value must use it on the right thread.
struct UncheckedTransfer<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
