/// The name of an XCTest: `-[LoginTests testLogin]` on Apple's platforms, `LoginTests.testLogin` elsewhere.
struct XCTestName {
    let className: String
    let methodName: String

    /// The name of the stub file: `LoginTests_testLogin`.
    var stubName: String { "\(className)_\(methodName)" }

    /// The test for `swift test --filter`: `LoginTests.testLogin`.
    var filter: String { "\(className).\(methodName)" }

    init(_ name: String) {
        let words = name.split { "-[] .".contains($0) }.map(String.init)
        methodName = words.last ?? name
        className = words.dropLast().last ?? "Tests"
    }
}
