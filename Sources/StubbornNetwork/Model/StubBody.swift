import Foundation

/// A response's body: at hand, or to be read from a stub file when it is asked for.
enum StubBody: Sendable {
    case data(Data)
    case deferred(DeferredBody)

    /// How many bytes it has at most, without reading it.
    var maximumByteCount: Int {
        switch self {
        case .data(let data): data.count
        case .deferred(let body): body.maximumByteCount
        }
    }

    /// Throws what is wrong with a body that cannot be read.
    func data() throws -> Data {
        switch self {
        case .data(let data): data
        case .deferred(let body): try body.data()
        }
    }
}

extension StubBody: Equatable {
    /// Returns whether two bodies have the same bytes. A body that cannot be read equals only itself.
    static func == (left: Self, right: Self) -> Bool {
        if case (.deferred(let left), .deferred(let right)) = (left, right), left === right { return true }
        guard let left = try? left.data(), let right = try? right.data() else { return false }
        return left == right
    }
}

/// A body that is read when it is asked for.
///
/// A small one is kept then. A large one is read anew each time, so that playing all that is in a file takes no more memory
/// than its largest body.
final class DeferredBody: Sendable {
    private static let keptByteCount = 256 << 10

    /// How many bytes it has at most.
    let maximumByteCount: Int

    private let read: @Sendable () throws -> Data
    private let kept = Lock<Data?>(nil)

    init(maximumByteCount: Int, _ read: @escaping @Sendable () throws -> Data) {
        self.maximumByteCount = maximumByteCount
        self.read = read
    }

    func data() throws -> Data {
        if let data = kept.withLock({ $0 }) { return data }
        let data = try read()
        if data.count <= Self.keptByteCount { kept.withLock { $0 = data } }
        return data
    }
}
