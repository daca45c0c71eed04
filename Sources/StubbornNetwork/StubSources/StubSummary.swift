import Foundation

/// A recorded stub as reports list it.
package struct StubSummary: Sendable {
    /// The number of the stub in its source, from 1.
    package let position: Int
    let entry: StubFileEntry
    var request: StubRequest
    /// A Boolean value that indicates whether the stub has answered a request.
    package let isUsed: Bool

    var stub: Stub { entry.stub }

    /// The stub file; `nil` in memory, and where it is known to be the network's own.
    var file: URL?

    /// The line in the file; `nil` in memory, and for a stub that this run has recorded.
    var line: Int? { entry.line }
}
