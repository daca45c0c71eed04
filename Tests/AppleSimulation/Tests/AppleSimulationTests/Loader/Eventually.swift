import LoopbackServer
import Testing

/// Waits until a condition holds that something else brings about; fails the test where that takes longer than a minute.
func eventually(_ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    guard try await !comesToHold(condition) else { return }
    Issue.record("did not happen within a minute", sourceLocation: sourceLocation)
}
