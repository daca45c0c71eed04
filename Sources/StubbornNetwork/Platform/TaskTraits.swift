import Foundation

/// The body of a request, as far as it is known when a task starts.
enum TaskBody {
    /// A body in memory, or none.
    case known(Data?)
    /// A body that has to be read, which may block.
    case deferred(@Sendable () throws -> Data?)
    /// A body that cannot be read from this version of Foundation.
    case unreadable
}

extension InputStream {
    /// Reads the stream to its end.
    ///
    /// Blocks.
    func readToEnd() throws -> Data {
        open()
        defer { close() }
        var result = Data()
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(&buffer, maxLength: buffer.count)
            if count == 0 { return result }
            if count < 0 { throw streamError ?? URLError(.requestBodyStreamExhausted) }
            result.append(contentsOf: buffer[..<count])
        }
    }
}
