import Foundation

/// The processes of this machine.
package enum SystemProcess {
    /// The number of this process, including in a child of `fork()`.
    static var current: Int32 { getpid() }

    /// The name of this machine; empty if it is unknown.
    static let host: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return name.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }()

    /// Returns a Boolean value that indicates whether a process exists, regardless of who started it.
    package static func exists(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno != ESRCH }
}
