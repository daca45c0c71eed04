import Foundation

/// The body of a response: in memory, or in a stub file until it is asked for.
enum StubBody: Sendable {
    case data(Data)
    case file(maximumByteCount: Int, kept: Lock<Data?>, read: @Sendable () throws -> Data)

    /// Creates a body that is read when it is asked for; only a small one is kept then, to save memory.
    static func deferred(maximumByteCount: Int, read: @escaping @Sendable () throws -> Data) -> Self {
        .file(maximumByteCount: maximumByteCount, kept: Lock(nil), read: read)
    }

    private static let keptByteCount = 256 << 10

    /// The largest number of bytes that the body may have, which is known without reading it.
    var maximumByteCount: Int {
        switch self {
        case .data(let data): data.count
        case .file(let maximumByteCount, _, _): maximumByteCount
        }
    }

    /// Returns the body, or throws the reason why it cannot be read.
    func data() throws -> Data {
        switch self {
        case .data(let data): return data
        case .file(_, let kept, let read):
            if let data = kept.withLock({ $0 }) { return data }
            let data = try read()
            if data.count <= Self.keptByteCount { kept.withLock { $0 = data } }
            return data
        }
    }
}

extension StubBody: Equatable {
    /// Returns a Boolean value that indicates whether two bodies have the same bytes; an unreadable one equals itself.
    static func == (left: Self, right: Self) -> Bool {
        if case (.file(_, let left, _), .file(_, let right, _)) = (left, right), left === right { return true }
        guard let left = try? left.data(), let right = try? right.data() else { return false }
        return left == right
    }
}
