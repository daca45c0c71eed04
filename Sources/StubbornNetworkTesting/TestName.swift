import Testing

/// What a test is called, as the name of a stub file.
struct TestName {
    /// `Outer_Inner_login` for `Outer.Inner.login()`; `login` for a test without suite.
    let stubName: String

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
    ///   - arguments: of a case of a parameterised test, described; each case is a file of its own.
    init(id: String, fileID: String, arguments: [String] = []) {
        let file = fileID.split(separator: "/").last.map(String.init) ?? ""
        var path = id
        if let end = path.range(of: "/\(file):", options: .backwards) { path = String(path[..<end.lowerBound]) }
        if let module = path.firstIndex(of: ".") { path = String(path[path.index(after: module)...]) }
        if let arguments = path.lastIndex(of: "("), path.hasSuffix(")") { path = String(path[..<arguments]) }
        let name = path.filter { $0 != "`" }.replacingOccurrences(of: "/", with: "_")
        stubName = ([name] + arguments).joined(separator: "_")
    }
}
