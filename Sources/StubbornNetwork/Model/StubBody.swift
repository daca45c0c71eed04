import Foundation

/// The body of a response: its bytes, or the base64 of a large one, which is decoded when it is asked for.
enum StubBody: Sendable {
    case data(Data)
    case encoded(maximumByteCount: Int, kept: Lock<Data?>, read: @Sendable () throws -> Data)

    /// Creates a body that is decoded when it is asked for; only a small one is kept then, to save memory.
    static func deferred(maximumByteCount: Int, read: @escaping @Sendable () throws -> Data) -> Self {
        .encoded(maximumByteCount: maximumByteCount, kept: Lock(nil), read: read)
    }

    private static let keptByteCount = 256 << 10

    /// The largest number of bytes that the body may have, which is known without reading it.
    var maximumByteCount: Int {
        switch self {
        case .data(let data): data.count
        case .encoded(let maximumByteCount, _, _): maximumByteCount
        }
    }

    /// Returns the body, or throws the reason why it cannot be decoded.
    func data() throws -> Data {
        switch self {
        case .data(let data): return data
        case .encoded(_, let kept, let read):
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
        if case (.encoded(_, let left, _), .encoded(_, let right, _)) = (left, right), left === right { return true }
        guard let left = try? left.data(), let right = try? right.data() else { return false }
        return left == right
    }
}
