import Foundation

extension StubFileStore {
    /// The files of this process's networks.
    private static let used = Lock<Set<String>>([])

    /// Notes that a network of this process uses the file.
    func noteUse() {
        Self.used.withLock { _ = $0.insert(file.standardizedFileURL.path) }
    }

    /// Returns the file of the directory that may be this one under an earlier name.
    ///
    /// No network of this process has used that file, and it has a stub with the method and the path of the request.
    /// This function reads at most 32 files of at most 256 kilobytes, those with the most similar names.
    func earlierName(for request: StubRequest) -> URL? {
        let names = ((try? FileSystem.names(in: FileSystem.directory(of: file.path), beginningWith: "")) ?? [])
            .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
        let candidates = names.map { file.deletingLastPathComponent().appendingPathComponent($0).standardizedFileURL }
            .filter { candidate in !Self.used.withLock { $0.contains(candidate.path) } }
            .sorted { similarity($0) > similarity($1) }
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

    /// Returns the number of characters that the names of two files have in common at the beginning and at the end.
    private func similarity(_ other: URL) -> Int {
        let (name, otherName) = (file.lastPathComponent, other.lastPathComponent)
        return zip(name, otherName).prefix { $0 == $1 }.count
            + zip(name.reversed(), otherName.reversed()).prefix { $0 == $1 }.count
    }
}
