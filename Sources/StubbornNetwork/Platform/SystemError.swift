import Foundation

/// An error of the operating system, by its number.
package struct SystemError: Error, Equatable {
    package let number: CInt

    package init(_ number: CInt) {
        self.number = number
    }

    /// The error of the last call of the C library on this thread.
    static var last: SystemError { SystemError(errno) }

    // Errors for which the system has no number.
    static let notRegularFile = SystemError(-1)
    static let cutShort = SystemError(-2)
    package static let changed = SystemError(-3)
    static let busy = SystemError(-4)
    static let late = SystemError(-5)

    /// The reason in the system's words: `Permission denied`.
    var reason: String {
        switch self {
        case .notRegularFile: "Not a regular file"
        case .cutShort: "It was cut short while it was in use"
        case .changed: "It was changed while it was in use"
        case .busy: "Another process has held the lock of its directory for too long"
        case .late: "A response that a client has cancelled was still being stored after 10 seconds"
        default: String(cString: strerror(number))
        }
    }
}
