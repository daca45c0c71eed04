import Foundation
import Mutations

/// The checkout, and its copy in the scratch folder in which mistakes are made.
struct Checkout {
    let root: URL
    let scratch: URL
    var copyRoot: URL { scratch.appendingPathComponent("checkout") }
    private var numberFile: URL { scratch.appendingPathComponent("mutant") }

    init(copyingTo path: String) throws {
        let top = try ChildProcess.output(of: ["git", "rev-parse", "--show-toplevel"])
        root = URL(fileURLWithPath: top.trimmingCharacters(in: .newlines), isDirectory: true)
        scratch = URL(fileURLWithPath: path, isDirectory: true, relativeTo: root).absoluteURL
        try FileManager.default.createDirectory(at: copyRoot, withIntermediateDirectories: true)
    }

    /// Switches some mutants on, and all others off.
    func switchOn(_ numbers: [Int]) throws {
        try Data(numbers.map(String.init).joined(separator: " ").utf8).write(to: numberFile)
    }

    func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The current files of the checkout, committed or not, without files that git ignores and packages that share its
    /// sources.
    private func files() throws -> [String] {
        try ChildProcess.output(of: ["git", "-C", root.path, "ls-files", "-z", "-co", "--exclude-standard"])
            .split(separator: "\0").map(String.init)
            .filter { !$0.hasPrefix("Benchmarks/") && !$0.hasPrefix("Tests/AppleSimulation/") }
            .filter { FileManager.default.fileExists(atPath: root.appendingPathComponent($0).path) }
    }

    /// Returns the source files in some files and folders, except those for other systems.
    func sources(in paths: [String]) throws -> [String] {
        try files().filter { file in
            file.hasPrefix("Sources/") && file.hasSuffix(".swift") && !file.hasSuffix("+Darwin.swift")
                && paths.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
                    .contains { file == $0 || file.hasPrefix("\($0)/") }
        }.sorted()
    }

    /// Returns the names of the files that test a source file: those in the test folder that mirrors its folder, or in the nearest
    /// one above.
    ///
    /// There are none for a file of the facade, which all tests use.
    func tests(of source: String) throws -> [String] {
        let parts = source.split(separator: "/")
        let folders = parts.dropFirst(2).dropLast()
        let all = try files().filter { $0.hasPrefix("Tests/\(parts[1])Tests/") && $0.hasSuffix("Tests.swift") }
        for count in stride(from: folders.count, to: 0, by: -1) {
            let folder = (["Tests", "\(parts[1])Tests"] + folders.prefix(count)).joined(separator: "/") + "/"
            let found = all.filter { $0.hasPrefix(folder) }
            if !found.isEmpty { return found.map { ($0 as NSString).lastPathComponent } }
        }
        let name = (parts.last ?? "").prefix { $0 != "." && $0 != "+" }
        return all.map { ($0 as NSString).lastPathComponent }.filter { $0.hasPrefix(name) }
    }

    /// Copies the checkout, except the files with mistakes, and removes the files that a run has left.
    ///
    /// A file that has not changed is not written, so that it is not compiled again.
    func copy(keeping kept: [String]) throws {
        let manager = FileManager.default
        let files = Set(try files())
        for file in files.subtracting(kept) {
            let from = root.appendingPathComponent(file)
            // The examples contain links to folders, which the tests do not need.
            var isDirectory: ObjCBool = false
            guard manager.fileExists(atPath: from.path, isDirectory: &isDirectory), !isDirectory.boolValue else {
                continue
            }
            try write(Data(contentsOf: from), to: file)
            if manager.isExecutableFile(atPath: from.path) {
                try manager.setAttributes(
                    [.posixPermissions: 0o755],
                    ofItemAtPath: copyRoot.appendingPathComponent(file).path
                )
            }
        }
        for module in try modules() { try write(Data(switchSource.utf8), to: "Sources/\(module)/IsMutant.swift") }
        let switches = try modules().map { "Sources/\($0)/IsMutant.swift" }
        let found = manager.enumerator(atPath: copyRoot.path)?.compactMap { $0 as? String } ?? []
        for file in Set(found).subtracting(files).subtracting(switches) {
            let url = copyRoot.appendingPathComponent(file)
            if try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true {
                try manager.removeItem(at: url)
            }
        }
    }

    func write(_ data: Data, to path: String) throws {
        let url = copyRoot.appendingPathComponent(path)
        if (try? Data(contentsOf: url)) == data { return }
        // A test may have left a directory in place of a file, or a file in place of its directory.
        var parent = url
        while parent.path != copyRoot.path {
            let isDirectory = (try? parent.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) ?? (parent != url)
            if isDirectory == (parent == url) { try FileManager.default.removeItem(at: parent) }
            parent.deleteLastPathComponent()
        }
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    private var switchSource: String { Schemata.switchSource(numberFile: numberFile.path) }

    private func modules() throws -> Set<String> {
        Set(try sources(in: ["Sources"]).compactMap { $0.split(separator: "/").dropFirst().first.map(String.init) })
    }

    /// Returns the lines that were changed since a revision, by their file; all lines of a file that git does not know yet.
    func linesChanged(since revision: String) throws -> [String: IndexSet] {
        var result: [String: IndexSet] = [:]
        var file = ""
        let difference = try ChildProcess.output(
            of: ["git", "-C", root.path, "diff", "-U0", "--no-color", "--no-ext-diff", revision, "--", "Sources"]
        )
        for line in difference.split(separator: "\n") {
            if line.hasPrefix("+++ b/") {
                file = String(line.dropFirst(6))
            } else if let match = line.firstMatch(of: /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/), let first = Int(match.1) {
                let count = match.2.flatMap { Int($0) } ?? 1
                result[file, default: []].insert(integersIn: first..<(first + count))
            }
        }
        let new = try ChildProcess.output(
            of: ["git", "-C", root.path, "ls-files", "-z", "-o", "--exclude-standard", "Sources"]
        )
        for file in new.split(separator: "\0") { result[String(file)] = IndexSet(integersIn: 0..<Int.max - 1) }
        return result
    }
}
