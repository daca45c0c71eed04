import Testing

/// What a test is called: its suites and itself, as a path.
struct TestName {
    /// `["Outer", "Inner", "login"]` for `Outer.Inner.login()`; the test alone where it is in no suite.
    let path: [String]

    /// Of a case of a parameterised test, described.
    let arguments: [String]

    /// As the name of a stub file: `Outer_Inner_login`; each case of a parameterised test is a file of its own.
    var stubName: String { (path + arguments).joined(separator: "_") }

    /// As `swift test --filter` takes it, a regular expression without a space: `Outer.Inner.login`.
    let filter: String

    init(_ test: Test, _ testCase: Test.Case?) {
        self.init(
            id: String(describing: test.id),
            fileID: test.sourceLocation.fileID,
            arguments: testCase.map { CaseArguments($0).descriptions } ?? []
        )
    }

    /// - Parameters:
    ///   - id: as Swift Testing writes it: `Module.Outer/Inner/login()/File.swift:12:4`.
    ///   - fileID: `Module/File.swift`.
    init(id: String, fileID: String, arguments: [String] = []) {
        let file = fileID.split(separator: "/").last.map(String.init) ?? ""
        var path = id
        if let end = path.range(of: "/\(file):", options: .backwards) { path = String(path[..<end.lowerBound]) }
        if let module = path.firstIndex(of: ".") { path = String(path[path.index(after: module)...]) }
        if let arguments = path.lastIndex(of: "("), path.hasSuffix(")") { path = String(path[..<arguments]) }
        filter = String(path.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "." })
        self.path = path.filter { $0 != "`" }.split(separator: "/").map(String.init)
        self.arguments = arguments
    }
}
