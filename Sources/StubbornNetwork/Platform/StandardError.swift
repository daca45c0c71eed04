import Foundation

/// The messages that this library writes to the standard error of the process, where nobody can catch an error.
enum StandardError {
    /// Writes a message and a line break, unless standard error is closed: then `FileHandle` would end the process.
    static func write(_ message: String) {
        Data("StubbornNetwork: \(message)\n".utf8).withUnsafeBytes { bytes in
            var rest = bytes
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = Foundation.write(2, base, rest.count)
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
