import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The stubs that a run of the tests asked for, by the reports that its processes have written.
///
/// The variable `STUB_REPORT` names the directory of the reports: `STUB_REPORT=.build/stubs/ swift test`.
struct RunUsage {
    /// The uses of each stub file that a network was asked with, by its path on the machine of the run, and by its path in
    /// its repository or package, which is the same on another machine.
    private var uses: [String: [StubFileUse]] = [:]

    /// The files of the networks whose requests did not all get a stub.
    private var unsettledFiles: Set<String> = []

    /// The reason why the run does not show which stubs and files are unused; `nil` if it does.
    ///
    /// A test that finds no stub, as after its suite was renamed, asks for none of the stubs that it needs.
    var reasonToKeepAll: String? {
        guard let first = unsettledFiles.min() else { return nil }
        let others = unsettledFiles.count > 1 ? " and \(counted(unsettledFiles.count - 1, "other file"))" : ""
        return
            "The run failed, recorded or was killed in tests with \(first.printable)\(others), so it does not show what is "
            + "unused. Run the tests again until they pass with their stubs."
    }

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
            guard let uses = StubFileUse.all(in: file.url) else {
                Output.say("\(file.path.printable) is no report of a run, and is left out.")
                continue
            }
            count += 1
            for use in uses {
                if !use.isSettled { unsettledFiles.insert(use.pathInPackage ?? use.file) }
                self.uses[Git.realPath(use.file), default: []].append(use)
                if let path = use.pathInPackage { self.uses[path, default: []].append(use) }
            }
        }
        guard count > 0 else {
            throw ToolError("There are no reports in \(path.printable). Write them first: \(command)")
        }
    }

    /// Returns a Boolean value that indicates whether a test asked for a stub of a file.
    func includes(_ file: FoundFile) -> Bool { !uses(of: file).isEmpty }

    /// Returns a Boolean value that indicates whether a test asked for a stub of a file in the same directory.
    func includesDirectory(of file: FoundFile) -> Bool {
        let directories = Self.names(of: file).map { ($0 as NSString).deletingLastPathComponent }
        return uses.keys.contains { directories.contains(($0 as NSString).deletingLastPathComponent) }
    }

    /// Returns the positions, from 1, of the stubs of a file that no test asked for; none for a file that no test used, and
    /// for one that has changed since.
    func unusedPositions(in file: FoundFile) -> Set<Int> {
        let uses = uses(of: file)
        let size = (try? FileManager.default.attributesOfItem(atPath: file.url.path)[.size]) as? Int
        guard let first = uses.first, uses.allSatisfy({ $0.fileByteCount == nil || $0.fileByteCount == size }) else {
            return []
        }
        return uses.dropFirst().reduce(first.unusedPositions) { $0.intersection($1.unusedPositions) }
    }

    private func uses(of file: FoundFile) -> [StubFileUse] { Self.names(of: file).flatMap { uses[$0] ?? [] } }

    /// Returns the names that reports may have for a file.
    private static func names(of file: FoundFile) -> [String] {
        let path = Git.realPath(file.path)
        return [path, StubFileUse.pathInPackage(of: URL(fileURLWithPath: path))].compactMap(\.self)
    }
}
