import Foundation

/// A search for the stub file of a test that was renamed.
enum RenamedStubFile {
    /// The files of this process's networks.
    private static let used = Lock<Set<String>>([])

    /// Notes that a network of this process has a file.
    static func noteUse(of file: URL) { used.withLock { _ = $0.insert(file.standardizedFileURL.path) } }

    /// Returns the file of the directory that may be a missing file under an earlier name.
    ///
    /// No network of this process has used that file, and it has a stub with the method and the path of the request.
    /// This function reads at most 32 files of at most 256 kilobytes, those with the most similar names.
    static func earlierName(of file: URL, with request: StubRequest) -> URL? {
        let name = file.lastPathComponent
        func similarity(_ other: String) -> (Int, Int) {
            let start = zip(name, other).prefix { $0 == $1 }
            let end = zip(name.reversed(), other.reversed()).prefix { $0 == $1 }
            // The part before `_` is the name of the suite, which the new test most likely has too.
            return (start.contains { $0.0 == "_" } ? 1 : 0, start.count + end.count)
        }
        let names = ((try? FileSystem.names(in: FileSystem.directory(of: file.path), beginningWith: "")) ?? [])
            .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
        let used = used.withLock { $0 }
        let candidates = names.sorted { similarity($0) > similarity($1) }
            .map { file.deletingLastPathComponent().appendingPathComponent($0).standardizedFileURL }
            .filter { !used.contains($0.path) }
        let path = URLParts(request.url).path
        return candidates.prefix(32).first { candidate in
            let store = StubFileStore(file: candidate)
            guard let size = store.fingerprint?.size, size <= 256 << 10, let document = try? store.read() else {
                return false
            }
            return document.entries.contains { entry in
                entry.stub.request.method == request.method && URLParts(entry.stub.request.url).path == path
            }
        }
    }
}
