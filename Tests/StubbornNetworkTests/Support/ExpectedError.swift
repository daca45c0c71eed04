import StubbornNetwork
import Testing

/// Expects a task of a session to fail with an error of this library, and returns that error.
///
/// `#expect(throws: StubbornNetworkError.self)` fails on Apple's platforms, where the task's error is an `NSError`.
@discardableResult
func expectStubbornNetworkError<Value>(
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async -> StubbornNetworkError? {
    do {
        _ = try await body()
        Issue.record("A StubbornNetworkError was expected, and no error was thrown.", sourceLocation: sourceLocation)
    } catch {
        if let error = StubbornNetworkError(error) { return error }
        Issue.record("A StubbornNetworkError was expected, not \(error).", sourceLocation: sourceLocation)
    }
    return nil
}
