import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The stubs that a run of the tests asked for, by the reports that its processes have written.
///
/// The variable `STUB_REPORT` contains the directory of the reports: `STUB_REPORT=.build/stubs/ swift test`.
struct RunUsage {
    /// The uses of each stub file, by its path on the machine of the run, and by its path in its repository or package, which is
    /// the same on every machine.
    private var uses: [String: [StubFileUse]] = [:]

    /// The files of the networks whose requests did not all get a stub.
    private var unsettledFiles: Set<String> = []

    /// The files that do not exist, with the requests of their tests.
    private var missing: [String: (names: [String], requests: Set<String>)] = [:]

    /// Returns the reason why the run does not show which stubs and files are unused; `nil` if it does.
    ///
    /// A test that finds no stub, as after a rename of its suite, uses none of the stubs that it needs. The reason includes the
    /// commands that rename the files of such tests.
    func reasonToKeepAll(_ files: [FoundFile]) -> String? {
        guard let first = unsettledFiles.min() else { return nil }
        let others = unsettledFiles.count > 1 ? " and \(counted(unsettledFiles.count - 1, "other file"))" : ""
        return
            "Tests with \(first.printable)\(others) failed, made recordings or were killed, so the run does not show what is "
            + "unused. Run the tests again until they pass with their stubs.\(commands(renaming: files))"
    }

    /// Returns the commands that rename unused files for tests without a file, if each file answers all requests of one
    /// test.
    ///
    /// Of several such files, the command uses the one that shares the most words of the name. If two share as many, or
    /// two tests would get one file, there is no command.
    private func commands(renaming files: [FoundFile]) -> String {
        let words = { (name: String) in Set(name.split { !$0.isLetter && !$0.isNumber }) }
        let unused = files.filter { !includes($0) }.map { file in
            (file, requests: Set((try? file.read())?.stubs.map { Self.place(of: "\($0.request)") } ?? []))
        }
        var commands: [String: [String]] = [:]
        for (names, requests) in missing.values {
            let name = (names[0] as NSString).lastPathComponent
            let candidates = unused.filter { Self.isBeside($0.0, names) && $0.requests.isSuperset(of: requests) }
            let scored = Dictionary(grouping: candidates.map(\.0)) {
                words($0.url.lastPathComponent).intersection(words(name)).count
            }
            guard let best = scored.max(by: { $0.key < $1.key })?.value, best.count == 1 else { continue }
            let path = best[0].path
            commands[path, default: []].append("\n  stubborn rename \(path.shellQuoted) \(name.shellQuoted)")
        }
        let lines = commands.values.filter { $0.count == 1 }.flatMap(\.self).sorted()
        return lines.isEmpty
            ? "" : "\nThese files answer requests of tests without a file. If the tests were renamed:\(lines.joined())"
    }

    /// Returns the method and the URL of a request without its query, which may contain a secret.
    private static func place(of request: String) -> String { String(request.prefix { $0 != "?" }) }

    /// Reads the reports in a directory, or one report.
    ///
    /// - Throws: `ToolError` if there is no report.
    init(in path: String) throws {
        let command = "STUB_REPORT=\(path.hasSuffix("/") ? path : path + "/") swift test"
        guard FileManager.default.fileExists(atPath: path) else {
            throw ToolError("There is nothing at \(path.printable). Write the reports first: \(command)")
        }
        var count = 0
        for file in try FoundFile.find(in: [path]) {
            guard let uses = StubFileUse.all(in: file.url) else {
                Output.say("\(file.path.printable) is not a report of a run, and is left out.")
                continue
            }
            count += 1
            for use in uses {
                if !use.isSettled { unsettledFiles.insert(use.pathInPackage ?? use.file) }
                if use.fileByteCount ?? 0 == 0, !use.unansweredRequests.isEmpty {
                    let names = [use.file, use.pathInPackage].compactMap(\.self)
                    missing[use.file, default: (names, [])].requests.formUnion(use.unansweredRequests.map(Self.place))
                }
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
        Self.isBeside(file, uses.keys)
    }

    private static func isBeside(_ file: FoundFile, _ paths: some Sequence<String>) -> Bool {
        let directories = names(of: file).map { ($0 as NSString).deletingLastPathComponent }
        return paths.contains { directories.contains(($0 as NSString).deletingLastPathComponent) }
    }

    /// Returns the positions, from 1, of the unused stubs of a file; none if no test used the file, or if it has changed since
    /// then.
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
