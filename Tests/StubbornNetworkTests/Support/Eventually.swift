import Foundation
import Testing

/// Waits until a condition holds that something else brings about, asking every few milliseconds, for a minute at most: all
/// tests run at once, on machines of all kinds.
func eventually(_ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let minute: UInt64 = 60_000_000_000
    let start = DispatchTime.now().uptimeNanoseconds
    while DispatchTime.now().uptimeNanoseconds - start < minute {
        if condition() { return }
        try await Task.sleep(nanoseconds: 5_000_000)
    }
    Issue.record("did not happen within a minute", sourceLocation: sourceLocation)
}
