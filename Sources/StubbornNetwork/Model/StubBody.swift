import Foundation

/// A response's body, in memory or still in a stub file.
enum StubBody: Sendable {
    case data(Data)
    case deferred(DeferredBody)

    /// The largest number of bytes that the body can have, known without reading it.
    var maximumByteCount: Int {
        switch self {
        case .data(let data): data.count
        case .deferred(let body): body.maximumByteCount
        }
    }

    /// Returns the body.
    ///
    /// - Throws: The reason why the body cannot be read.
    func data() throws -> Data {
        switch self {
        case .data(let data): data
        case .deferred(let body): try body.data()
        }
    }
}

/// A body that is read when it is needed.
///
/// A small body is then kept. A large one is read again each time, so that playing a whole file takes no more memory than
/// its largest body.
final class DeferredBody: Sendable {
    private static let keptByteCount = 256 << 10

    /// The largest number of bytes that the body can have.
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
