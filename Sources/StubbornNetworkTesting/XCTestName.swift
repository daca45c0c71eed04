/// The name of an XCTest, in its two forms: `-[LoginTests testLogin]` on Apple's platforms, `LoginTests.testLogin` elsewhere.
struct XCTestName {
    let className: String
    let methodName: String

    /// `LoginTests_testLogin`.
    var stubName: String { "\(className)_\(methodName)" }

    init(_ name: String) {
        let words = name.split { "-[] .".contains($0) }.map(String.init)
        methodName = words.last ?? name
        className = words.dropLast().last ?? "Tests"
    }
}
