import Foundation

/// A stub file that may be a missing one under an earlier name, or in an earlier directory.
struct MovedStubFile: Sendable {
    let url: URL
    /// A Boolean value that indicates whether only the directory differs.
    let hasSameName: Bool

    /// The files of this process's networks.
    fileprivate static let used = Lock<Set<String>>([])

    /// Notes that a network of this process has a file.
    static func noteUse(of file: URL) { used.withLock { _ = $0.insert(file.standardizedFileURL.path) } }
}

extension StubSource {
    /// Returns the file that may be this one, where this one does not exist: a file of the same name in another directory
    /// of the package, or else a file of the same directory.
    ///
    /// The file has a stub that answers the request, no network of this process has used it, and no test in the Swift files
    /// next to its directory has it. In a process under test nothing is known about other tests, and nothing is returned.
    /// This function reads at most 64 files of at most 256 kilobytes, those with the most similar names.
    func movedFile(for request: StubRequest, by rules: PlaybackRules) -> MovedStubFile? {
        guard let file, !existed, run.isFounder else { return nil }
        let used = MovedStubFile.used.withLock { $0 }
        func isFree(_ candidate: URL) -> Bool {
            !used.contains(candidate.path) && Self.answers(request, by: rules, candidate)
                && !Self.isNamedInSources(candidate)
        }
        if let found = Self.filesOfSameName(as: file).prefix(32).first(where: isFree) {
            return MovedStubFile(url: found, hasSameName: true)
        }
        return Self.filesOfSameDirectory(as: file).prefix(32).first(where: isFree)
            .map { MovedStubFile(url: $0, hasSameName: false) }
    }

    /// Returns the stub files next to a file, those with the most similar names first.
    private static func filesOfSameDirectory(as file: URL) -> [URL] {
        let name = file.lastPathComponent
        func similarity(_ other: String) -> (Int, Int) {
            let start = zip(name, other).prefix { $0 == $1 }
            let end = zip(name.reversed(), other.reversed()).prefix { $0 == $1 }
            // The part before `_` is the name of the suite, which the new test most likely has too.
            return (start.contains { $0.0 == "_" } ? 1 : 0, start.count + end.count)
        }
        let directory = file.deletingLastPathComponent()
        return ((try? FileSystem.names(in: directory.path, beginningWith: "")) ?? [])
            .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") && $0 != name }
            .sorted { similarity($0) > similarity($1) }
            .map { directory.appendingPathComponent($0).standardizedFileURL }
    }

    /// Returns the files of the same name in other directories of the package.
    ///
    /// A directory that has a dot in its name, as `.build`, is not searched, and no more than 4,000 names are looked at.
    private static func filesOfSameName(as file: URL) -> [URL] {
        let (name, directory) = (file.lastPathComponent, file.standardizedFileURL.deletingLastPathComponent().path)
        let root = FileSystem.directories(from: directory).first(where: FileSystem.isPackageRoot)
        var pending = root.map { [$0] } ?? []
        var (found, count) = ([URL](), 0)
        while !pending.isEmpty, count < 4_000 {
            let path = pending.removeFirst()
            let names = (try? FileSystem.names(in: path, beginningWith: "")) ?? []
            if path != directory, names.contains(name) { found.append(URL(fileURLWithPath: "\(path)/\(name)")) }
            for name in names where !name.contains(".") {
                count += 1
                if (try? FileSystem.fingerprint(at: "\(path)/\(name)"))?.isDirectory == true {
                    pending.append("\(path)/\(name)")
                }
            }
        }
        return found.map(\.standardizedFileURL)
    }

    /// Returns a Boolean value that indicates whether a stub of a file answers a request.
    private static func answers(_ request: StubRequest, by rules: PlaybackRules, _ file: URL) -> Bool {
        let store = StubFileStore(file: file)
        guard let size = store.fingerprint?.size, size <= 256 << 10, let document = try? store.read() else {
            return false
        }
        var stubs = RecordedStubs()
        for entry in document.entries { stubs.append(entry) }
        return !stubs.matchIndex(by: rules).matchIndex.matches(request).isEmpty
    }

    /// Returns a Boolean value that indicates whether a test seems to have a stub file.
    ///
    /// It does if a Swift file next to the stub directory has a function with the end of the file's name, or has that name.
    private static func isNamedInSources(_ file: URL) -> Bool {
        let name = file.deletingPathExtension().lastPathComponent
        let directory = FileSystem.directory(of: file.deletingLastPathComponent().path)
        let sources = ((try? FileSystem.names(in: directory, beginningWith: "")) ?? []).filter {
            $0.hasSuffix(".swift")
        }
        return sources.prefix(256).contains { source in
            guard let text = try? String(contentsOfFile: "\(directory)/\(source)", encoding: .utf8) else {
                return false
            }
            // In the name of a file, a space is an underscore.
            let words = text.replacingOccurrences(of: " ", with: "_")
            if words.contains("\"\(name)\"") { return true }
            return words.components(separatedBy: "func_").dropFirst().contains { rest in
                let test =
                    rest.first == "`"
                    ? rest.dropFirst().prefix { $0 != "`" } : rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                return !test.isEmpty && (name.hasSuffix("_\(test)") || name.contains("_\(test)_"))
            }
        }
    }
}
