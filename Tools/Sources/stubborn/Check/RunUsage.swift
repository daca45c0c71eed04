import Foundation

/// The stubs that a run of the tests asked for, by the reports that its processes have written.
///
/// The variable `STUB_REPORT` names the directory of the reports: `STUB_REPORT=.build/stubs/ swift test`.
struct RunUsage {
    /// The part of a report that says which stubs were asked for.
    private struct Report: Decodable {
        struct Network: Decodable {
            var file: String?
            var mode: String
            var summary: [String: Int]
            var unusedPositions: [Int]?
        }
        var networks: [Network]
    }

    /// The number of reports that were read.
    private(set) var reportCount = 0

    /// For each stub file that a request was made with, the positions of the stubs that no request asked for.
    private var unused: [String: Set<Int>] = [:]

    /// Reads the reports in a directory.
    ///
    /// - Throws: `ToolError` for a directory without reports, and for a file that is no report.
    init(in directory: String) throws {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: directory) else {
            throw ToolError("There is no directory \(directory). Write the reports first: \(Self.command(directory))")
        }
        for name in names.sorted() where name.hasSuffix(".json") && !name.hasPrefix(".") {
            let file = URL(fileURLWithPath: directory).appendingPathComponent(name)
            do {
                add(try JSONDecoder().decode(Report.self, from: Data(contentsOf: file)))
            } catch {
                throw ToolError(
                    "\(file.path) is not a report of a run. Give the reports a directory of their own: \(Self.command(directory))"
                )
            }
        }
        guard reportCount > 0 else {
            throw ToolError("There is no report in \(directory). Write them first: \(Self.command(directory))")
        }
    }

    private static func command(_ directory: String) -> String {
        "STUB_REPORT=\(directory)\(directory.hasSuffix("/") ? "" : "/") swift test"
    }

    private mutating func add(_ report: Report) {
        reportCount += 1
        for network in report.networks {
            guard let file = network.file, network.summary.contains(where: { $0.key != "unused" && $0.value > 0 })
            else {
                continue
            }
            let path = Self.path(file)
            let positions = Set(network.unusedPositions ?? [])
            unused[path] = unused[path].map { $0.intersection(positions) } ?? positions
        }
    }

    /// Returns a Boolean value that indicates whether a test made a request with a stub file.
    func includes(_ file: URL) -> Bool { unused[Self.path(file.path)] != nil }

    /// Returns the positions, from 1, of the stubs of a file that no request asked for; none for a file without requests.
    func unusedPositions(in file: URL) -> Set<Int> { unused[Self.path(file.path)] ?? [] }

    private static func path(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
    }
}
