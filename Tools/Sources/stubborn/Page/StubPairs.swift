import Foundation
@_spi(Tools) import StubbornNetwork

/// The stubs of a file now, each with the one that it was before.
enum StubPairs {
    /// Returns the stubs of now in their order, and after them those that were removed.
    ///
    /// Stubs belong together that are equal, then those with the same request, then those with the same method and URL:
    /// in each case the first with the first.
    ///
    /// - Parameters:
    ///   - before: The stubs as they were; `nil` for a page that compares with nothing.
    ///   - now: The stubs as they are.
    /// - Returns: A comparison for each stub of now, and for each that was removed.
    static func pairs(_ before: [Stub]?, _ now: [Stub]) -> [ReportPage.Comparison] {
        guard let before else { return now.map { ReportPage.Comparison(now: $0) } }
        var partners: [Int: Int] = [:]
        var free = Set(before.indices)
        func join(_ isSame: (Stub) -> AnyHashable) {
            var candidates = Dictionary(grouping: free.sorted(by: >)) { isSame(before[$0]) }
            for index in now.indices where partners[index] == nil {
                guard let partner = candidates[isSame(now[index])]?.popLast() else { continue }
                partners[index] = partner
                free.remove(partner)
            }
        }
        join { $0 }
        join { $0.request }
        join { "\($0.request.method) \($0.request.url.absoluteString)" }
        return now.indices.map { ReportPage.Comparison(now: now[$0], before: partners[$0].map { before[$0] }) }
            + free.sorted().map { ReportPage.Comparison(before: before[$0]) }
    }
}

/// The recordings of a revision.
struct RecordingHistory {
    private let revision: String
    private let repository: Repository
    private let paths: [String]

    /// Finds the repository of some paths.
    ///
    /// - Throws: `ToolError` where there is no repository, or the revision is unknown.
    init(revision: String, _ paths: [String]) throws {
        let first = URL(fileURLWithPath: paths.first ?? ".")
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: first.path, isDirectory: &isDirectory)
        repository = try Repository(containing: isDirectory.boolValue ? first : first.deletingLastPathComponent())
        _ = try repository.run("rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{commit}")
        (self.revision, self.paths) = (revision, paths)
    }

    /// Returns the stubs of a file as they were; none for a file that was not there, or could not be read.
    func stubs(of file: FoundFile) -> [Stub] {
        guard let path = repository.path(of: file.url), let text = repository.content(of: path, at: revision) else {
            return []
        }
        return (try? StubFile(text, at: file.url).stubs) ?? []
    }

    /// Returns the stub files that are there no more, with their stubs.
    func removedFiles(from present: [String]) throws -> [(path: String, stubs: [Stub])] {
        let list = try repository.run("diff", "--name-only", "-z", "--no-renames", "--diff-filter=D", revision, "--")
        let names = list.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        let roots = paths.map { repository.path(of: URL(fileURLWithPath: $0)) ?? "" }
        return names.filter { name in
            name.hasSuffix(".json") && roots.contains { $0.isEmpty || name == $0 || name.hasPrefix("\($0)/") }
        }.compactMap { name in
            let file = FoundFile(path: repository.root.appendingPathComponent(name).path, isNamed: false)
            let stubs = stubs(of: file)
            return stubs.isEmpty ? nil : (name, stubs)
        }
    }
}
