import Foundation

/// The body of a request, as far as it is known when a task starts.
enum TaskBody {
    /// A body in memory, or none.
    case known(Data?)
    /// A body that has to be read, which may block.
    case deferred(@Sendable () throws -> Data?)
    /// A body that cannot be read from this version of Foundation.
    case unreadable

    /// Returns the body that a stream has.
    static func stream(_ stream: InputStream) -> TaskBody {
        let stream = UncheckedTransfer(stream)
        return .deferred { try stream.value.readToEnd() }
    }
}

extension URLRequest {
    /// The body of the request, without the body of its task.
    var visibleBody: TaskBody {
        if httpBody == nil, let httpBodyStream { .stream(httpBodyStream) } else { .known(httpBody) }
    }
}

/// The way in which a task gets its body.
///
/// Foundation adds other header fields to each: a length or a transfer coding, a default `Content-Type`, `Expect`.
enum RequestBodySource: Sendable {
    /// The request has the body, or there is none.
    case request
    /// The request has a stream.
    case stream
    /// The upload task was created with the body, or with a file.
    case upload
    /// The upload task asks its delegate for a stream.
    case delegate

    /// A Boolean value that indicates whether the body is sent as a stream, rather than as data.
    var isStream: Bool { self == .stream || self == .delegate }
}

/// Returns the reason why a load was stopped: the error that the loader ended it with, or a `CancellationError` for the client.
///
/// It may block for a moment until the reason is known; `nil` if that takes too long.
typealias StopReason = @Sendable () -> (any Error)?

extension URLError {
    /// The error; `nil` if it says that the client has cancelled the task.
    var unlessCancelled: URLError? { code == .cancelled ? nil : self }
}

extension InputStream {
    /// Reads the stream to its end, and blocks the thread.
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
