import Foundation

/// An error of the operating system, by its number.
struct SystemError: Error, Equatable {
    let number: CInt

    init(_ number: CInt) {
        self.number = number
    }

    /// The error that the last call of the C library left behind, on this thread.
    static var last: SystemError { SystemError(errno) }

    /// What is there is neither a file nor a directory, but a pipe or a device. The system has no number for that.
    static let notRegularFile = SystemError(-1)

    /// A file is shorter than it was. The system has no number for that either.
    static let cutShort = SystemError(-2)

    /// A symbolic link leads to where nothing is to be written.
    static let leadsOut = SystemError(-3)

    /// A file is not what it was when it was opened. Nor for that.
    static let changed = SystemError(-4)

    /// The system's words: `Permission denied`.
    var reason: String {
        switch self {
        case .notRegularFile: "Not a regular file"
        case .cutShort: "It was cut short while it was in use"
        case .leadsOut: "It is a symbolic link that leads out of its directory"
        case .changed: "It was changed while it was in use"
        default: String(cString: strerror(number))
        }
    }
}
