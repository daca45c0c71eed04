import Foundation
import StubbornNetwork
import StubbornNetworkTooling

/// The declaration of a test in a Swift file, which the name of a stub file is derived from.
struct TestDeclaration {
    let test: String
    let path: String
    let line: Int

    /// Returns the declarations in the package's Swift files whose test has a stub file of some name.
    ///
    /// - Parameters:
    ///   - name: The name of the stub file, without its extension.
    ///   - directory: The stub directory.
    /// - Returns: The declarations.
    static func all(withStubFile name: String, near directory: String) -> [TestDeclaration] {
        guard let root = packageRoot(above: directory) else { return [] }
        let files = FileManager.default.enumerator(atPath: root)
        var result: [TestDeclaration] = []
        while let path = files?.nextObject() as? String {
            let component = (path as NSString).lastPathComponent
            if component.hasPrefix(".") {
                files?.skipDescendants()
            } else if path.hasSuffix(".swift"),
                let text = try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
            {
                result += declarations(in: text, "\(root)/\(path)", name)
            }
        }
        return result
    }

    private static func declarations(in text: String, _ path: String, _ name: String) -> [TestDeclaration] {
        var suites: [String] = []
        var result: [TestDeclaration] = []
        for (number, line) in text.lines.enumerated() {
            for keyword in ["struct", "class", "enum", "actor", "extension"] {
                if let suite = identifier(behind: keyword, in: line) { suites.append(suite) }
            }
            guard let function = identifier(behind: "func", in: line) else { continue }
            for suite in Set(suites) where StubFile.fileName(forTest: "\(suite)_\(function)") == name {
                result.append(TestDeclaration(test: "\(suite)/\(function)()", path: path, line: number + 1))
            }
        }
        return result
    }

    /// Returns the name that a line declares: `login` in `func login() {`, `a user logs in` between backticks.
    private static func identifier(behind keyword: String, in line: String) -> String? {
        guard let range = line.range(of: keyword + " ") else { return nil }
        if range.lowerBound > line.startIndex, line[line.index(before: range.lowerBound)] != " " { return nil }
        let rest = line[range.upperBound...]
        if rest.hasPrefix("`") { return String(rest.dropFirst().prefix { $0 != "`" }) }
        let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return name.isEmpty ? nil : String(name)
    }

    private static func packageRoot(above directory: String) -> String? {
        var directory = Git.realPath(directory.isEmpty ? "." : directory)
        while directory != "/" {
            for name in ["Package.swift", ".git"] where FileManager.default.fileExists(atPath: "\(directory)/\(name)") {
                return directory
            }
            directory = (directory as NSString).deletingLastPathComponent
        }
        return nil
    }
}
