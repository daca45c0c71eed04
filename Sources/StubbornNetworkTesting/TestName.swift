import Testing

/// The name of a test, with the names of its suites or its class.
struct TestName: Sendable {
    /// The names of the suites, or of the class, and of the test: `["Outer", "Inner", "login"]`.
    let path: [String]

    /// The descriptions of a case's arguments; empty for a test without parameters.
    let arguments: [String]

    /// The test as a regular expression without spaces for `swift test --filter`: `Outer.Inner.login`.
    let filter: String

    /// The name of the stub file: `Outer_Inner_login`.
    ///
    /// Each case of a parameterized test has its own file.
    var stubName: String { (path + arguments).joined(separator: "_") }

    /// Creates the name of a test of Swift Testing.
    ///
    /// - Throws: `StubbornNetworkError` for a version of Swift Testing that writes identifiers or stores arguments
    ///   differently. Without them, tests would share a file.
    init(_ test: Test, _ testCase: Test.Case?) throws {
        let arguments = try testCase.map { try CaseArguments.descriptions(of: $0, in: test) } ?? []
        try self.init(id: String(describing: test.id), fileID: test.sourceLocation.fileID, arguments: arguments)
    }

    /// Creates the name of a test from its identifier, as in `Module.Outer/Inner/login()/File.swift:12:4`.
    init(id: String, fileID: String, arguments: [String] = []) throws(StubbornNetworkError) {
        let file = fileID.split(separator: "/").last.map(String.init) ?? ""
        guard let end = id.range(of: "/\(file):", options: .backwards), let module = id.firstIndex(of: "."),
            module < end.lowerBound
        else { throw .unsupportedVersion(of: "Swift Testing", without: "the description of Test.ID (\(id.quoted()))") }
        var path = String(id[id.index(after: module)..<end.lowerBound])
        if let arguments = path.lastIndex(of: "("), path.hasSuffix(")") { path = String(path[..<arguments]) }
        filter = String(path.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "." })
        self.path = path.filter { $0 != "`" }.split(separator: "/").map(String.init)
        self.arguments = arguments
    }

    /// Creates the name of an XCTest: `-[LoginTests testLogin]` on Apple's platforms, `LoginTests.testLogin` elsewhere.
    init(ofXCTest name: String) {
        let words = name.split { "-[] .".contains($0) }.map(String.init)
        path = [words.dropLast().last ?? "Tests", words.last ?? name]
        filter = path.joined(separator: ".")
        arguments = []
    }
}
