import Foundation

/// Base64 in windows, so that it is never in memory as a whole.
enum Base64 {
    /// The decoded bytes; `nil` for what is no base64, as strict as Foundation is at once.
    ///
    /// - Parameters:
    ///   - count: how many bytes there are.
    ///   - read: gives some of them.
    static func decode<Failure: Error>(
        _ count: Int,
        in read: (Range<Int>) throws(Failure) -> Data
    ) throws(Failure) -> Data? {
        // A multiple of four, so that each window decodes by itself; few enough to stay in the processor's cache.
        let length = 96 << 10
        var output = Data()
        output.reserveCapacity(count / 4 * 3)
        var start = 0
        while start < count {
            let end = min(start + length, count)
            let window = try read(start..<end)
            let isPadded = window.withBytes { $0.contains(.equals) }
            guard !isPadded || end == count, let part = Data(base64Encoded: window) else { return nil }
            output.append(part)
            start = end
        }
        return output
    }
}
