import Foundation

/// The process's standard error, written to in vain where it is closed: `FileHandle` ends the process then.
enum StandardErrorDescriptor {
    static func send(_ data: Data) {
        data.withUnsafeBytes { bytes in
            var rest = bytes
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = write(2, base, rest.count)
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
