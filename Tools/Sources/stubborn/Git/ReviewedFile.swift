import Foundation
@_spi(Tools) import StubbornNetwork

/// A stub file that differs from git's `HEAD`, and the stubs in which it does.
///
/// An accepted stub is staged: git's index has it, and the next commit will. A rejected stub goes back to what `HEAD` has.
/// Nothing is kept elsewhere, so a review can be interrupted at any time.
struct ReviewedFile {
    let path: String
    let git: Git

    /// The changes that are neither accepted nor rejected.
    let pending: [StubChange]

    /// The file as it is in `HEAD` and in the working directory; without stubs where it is not there.
    let head: StubFile
    let working: StubFile

    private let isDeleted: Bool
    private let headText: Data?
    private let pairs: [StubPair]
    private let changes: [StubPair: StubChange]
    private let acceptedPairs: Set<StubPair>

    /// Compares a file with `HEAD` and with git's index.
    ///
    /// - Throws: `StubbornNetworkError` for a version that is damaged.
    init(path: String, git: Git, rules: StubDirectoryRules) throws {
        (self.path, self.git) = (path, git)
        let url = URL(fileURLWithPath: path)
        headText = git.content(of: path)
        head = try headText.map { try StubFile($0, at: url) } ?? StubFile(at: url)
        isDeleted = !FileManager.default.fileExists(atPath: path)
        working = isDeleted ? StubFile(at: url) : try StubFile(reading: url)
        let index = try git.content(of: path, in: "").map { try StubFile($0, at: url) } ?? StubFile(at: url)

        pairs = try StubPair.pairs(of: head, and: working)
        var changes: [StubPair: StubChange] = [:]
        for pair in pairs { changes[pair] = try StubChange.of(pair, head, working, rules) }
        self.changes = changes
        var staged: [Data: Int] = [:]
        for number in index.stubs.indices { staged[try index.text(ofStubAt: number), default: 0] += 1 }
        for pair in pairs where changes[pair] == nil {
            if let number = pair.new { staged[try working.text(ofStubAt: number), default: 0] -= 1 }
        }
        var accepted: Set<StubPair> = []
        for pair in pairs where changes[pair] != nil {
            let text = try pair.new.map(working.text(ofStubAt:)) ?? head.text(ofStubAt: pair.old ?? 0)
            let isStaged = staged[text, default: 0] > 0
            if isStaged { staged[text, default: 0] -= 1 }
            if isStaged == (pair.new != nil) { accepted.insert(pair) }
        }
        acceptedPairs = accepted
        pending = pairs.compactMap { accepted.contains($0) ? nil : changes[$0] }
    }

    /// Stages some changes, beside those that are staged already.
    func accept(_ accepted: [StubChange]) throws {
        let pairs = acceptedPairs.union(accepted.map(\.pair))
        if isDeleted, pairs.count == changes.count {
            try git.run("update-index", "--force-remove", "--", git.name(of: path))
        } else if pairs.count == changes.count {
            try git.run("add", "--", git.name(of: path))
        } else {
            try stage(file { pairs.contains($0) })
        }
    }

    /// Puts what `HEAD` has in the place of a change.
    func reject(_ change: StubChange) throws {
        let isLast = changes.count == 1
        if isLast, headText == nil {
            try FileManager.default.removeItem(atPath: path)
        } else {
            var file = file { $0 != change.pair }
            // A deleted file that comes back has no older state.
            if isDeleted { file = StubFile.copy(of: file) }
            try file.write()
            // The layout between the stubs as well.
            if isLast, let headText, try Data(contentsOf: working.url) != headText {
                try headText.write(to: working.url, options: .atomic)
            }
        }
        // The index may have an older recording of the stub.
        if isLast {
            try git.run("reset", "--quiet", "--", git.name(of: path))
        } else if acceptedPairs.isEmpty, headText != nil {
            try git.run("reset", "--quiet", "--", git.name(of: path))
        } else if !acceptedPairs.isEmpty {
            try stage(file { acceptedPairs.contains($0) })
        }
    }

    /// Returns the file with some of the changes; in the place of the others is what `HEAD` has.
    private func file(with isIncluded: (StubPair) -> Bool) -> StubFile {
        var result = working
        result.removeStubs(at: Set(working.stubs.indices))
        var count = 0
        for pair in pairs {
            let isNew = changes[pair] == nil || isIncluded(pair)
            guard let index = isNew ? pair.new : pair.old else { continue }
            result.insertStub(at: count, stubAt: index, of: isNew ? working : head)
            count += 1
        }
        return result
    }

    private func stage(_ file: StubFile) throws {
        let name = git.name(of: path)
        let text = FileManager.default.temporaryDirectory.appendingPathComponent("stubborn-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: text) }
        try file.text().write(to: text)
        let hash = try git.run("hash-object", "-w", "--path=\(name)", "--", text.path)
        let entry = try String(decoding: git.run("ls-files", "--stage", "--", name), as: UTF8.self)
        let mode = entry.isEmpty ? "100644" : String(entry.prefix { $0 != " " })
        let id = String(decoding: hash, as: UTF8.self).trimmingCharacters(in: .newlines)
        try git.run("update-index", "--add", "--cacheinfo", "\(mode),\(id),\(name)")
    }
}

extension StubFile {
    /// Returns a file with the same stubs that is written as a new one.
    fileprivate static func copy(of file: StubFile) -> StubFile {
        var copy = StubFile(at: file.url)
        for index in file.stubs.indices { copy.insertStub(at: index, stubAt: index, of: file) }
        return copy
    }
}
