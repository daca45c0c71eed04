import Foundation

/// A response's body: at hand, or to be read from a stub file when it is first asked for.
enum StubBody: Sendable {
    case data(Data)
    case deferred(DeferredBody)

    /// Throws what is wrong with a body that cannot be read.
    func data() throws -> Data {
        switch self {
        case .data(let data): data
        case .deferred(let body): try body.data()
        }
    }
}

/// A body that is read once, by whoever asks first.
final class DeferredBody: Sendable {
    private let read: @Sendable () throws -> Data
    private let result = Lock<Result<Data, any Error>?>(nil)

    init(_ read: @escaping @Sendable () throws -> Data) {
        self.read = read
    }

    func data() throws -> Data {
        try result.withLock { result in
            if let result { return result }
            let made = Result { try read() }
            result = made
            return made
        }.get()
    }
}
