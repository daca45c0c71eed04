import Foundation

/// The processes of this machine.
package enum SystemProcess {
    /// The number of this process, also in a child that `fork()` has made.
    static var current: Int32 { getpid() }

    /// The name of this machine; empty if the system does not tell it.
    static let host: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return name.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }()

    /// Returns a Boolean value that indicates whether a process exists, whoever started it.
    package static func exists(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno != ESRCH }
}
