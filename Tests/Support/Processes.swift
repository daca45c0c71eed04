import Foundation

/// A program of this package, next to the running test bundle, wherever that has been built.
public func executable(named name: String) throws -> URL {
    let starts = [Bundle(for: Anchor.self).bundleURL, Bundle.main.bundleURL, Bundle.main.executableURL]
    for start in starts.compactMap(\.self) {
        var directory = start
        for _ in 0..<4 {
            let candidate = directory.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            directory.deleteLastPathComponent()
        }
    }
    throw CocoaError(.fileNoSuchFile)
}

private final class Anchor {}

/// Waits until a condition holds that something else brings about, asking every few milliseconds, for a minute at most: all
/// tests run at once, on machines of all kinds.
///
/// - Returns: whether it came to hold.
public func comesToHold(_ condition: () -> Bool) async throws -> Bool {
    let minute: UInt64 = 60_000_000_000
    let start = DispatchTime.now().uptimeNanoseconds
    var lookCount = 0
    // On a busy machine other tests may take the threads for a minute: the condition has to fail often, too.
    while DispatchTime.now().uptimeNanoseconds - start < minute || lookCount < 500 {
        if condition() { return true }
        lookCount += 1
        try await Task.sleep(nanoseconds: 5_000_000)
    }
    return false
}
