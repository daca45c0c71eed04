import Foundation
import Testing

/// Waits until a condition holds that something else brings about, asking every few milliseconds for ten seconds.
func eventually(_ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    for _ in 0..<2000 {
        if condition() { return }
        try await Task.sleep(nanoseconds: 5_000_000)
    }
    Issue.record("did not happen within ten seconds", sourceLocation: sourceLocation)
}
