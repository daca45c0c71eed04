import Foundation
@_spi(Tools) import StubbornNetwork

/// The stubs that a run of the tests asked for, by the reports that its processes have written.
///
/// The variable `STUB_REPORT` names the directory of the reports: `STUB_REPORT=.build/stubs/ swift test`.
struct RunUsage {
    /// For each stub file that a network was asked with, the positions of the stubs that no network was asked for.
    private var unused: [String: Set<Int>] = [:]

    /// Reads the reports in a directory, or one report.
    ///
    /// - Throws: `ToolError` where there is no report.
    init(in path: String) throws {
        let command = "STUB_REPORT=\(path.hasSuffix("/") ? path : path + "/") swift test"
        guard FileManager.default.fileExists(atPath: path) else {
            throw ToolError("There is nothing at \(path.printable). Write the reports first: \(command)")
        }
        var count = 0
        for file in try FoundFile.find(in: [path]) {
            guard let uses = ReportedUse.all(in: file.url) else {
                Output.say("\(file.path.printable) is no report of a run, and is left out.")
                continue
            }
            count += 1
            for use in uses {
                let file = Git.realPath(use.file)
                unused[file] = unused[file]?.intersection(use.unusedPositions) ?? use.unusedPositions
            }
        }
        guard count > 0 else {
            throw ToolError("There are no reports in \(path.printable). Write them first: \(command)")
        }
    }

    /// Returns a Boolean value that indicates whether a test asked for a stub of a file.
    func includes(_ file: FoundFile) -> Bool { unused[Git.realPath(file.path)] != nil }

    /// Returns a Boolean value that indicates whether a test asked for a stub of a file in the same directory.
    func includesDirectory(of file: FoundFile) -> Bool {
        let directory = (Git.realPath(file.path) as NSString).deletingLastPathComponent
        return unused.keys.contains { ($0 as NSString).deletingLastPathComponent == directory }
    }

    /// Returns the positions, from 1, of the stubs of a file that no test asked for; none for a file that no test used.
    func unusedPositions(in file: FoundFile) -> Set<Int> { unused[Git.realPath(file.path)] ?? [] }
}
