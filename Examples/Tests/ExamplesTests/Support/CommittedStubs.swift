// Where the stub files are that are committed with this repository. A test finds them from its own source file, so that
// it does not matter where it is run from.

import Foundation

enum CommittedStubs {
    /// `Stubs/` at the root of the repository.
    static let path = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent()  // Support
        .deletingLastPathComponent()  // ExamplesTests
        .deletingLastPathComponent()  // Tests
        .deletingLastPathComponent()  // Examples
        .deletingLastPathComponent()
        .appendingPathComponent("Stubs")
        .path
}
