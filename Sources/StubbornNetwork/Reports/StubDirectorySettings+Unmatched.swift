import Foundation

extension StubDirectorySettings {
    /// Returns a line for each key path in the settings that leads to no member of a body in the stub files of some
    /// directories.
    package func unmatchedKeyPaths(in directories: Set<URL>) -> [String] {
        let named = [List.volatileJSONKeys, .ignoredJSONKeys].flatMap { list in
            self[list].map { (list: list.rawValue, path: $0) }
        }
        guard let file, !named.isEmpty else { return [] }
        var reader = NormalFormReader(MergeRules(volatileJSONKeyPaths: named.map(\.path)))
        for directory in directories {
            for name in (try? FileSystem.names(in: directory.path)) ?? [] where name.hasSuffix(".json") {
                for entry in (try? StubFileStore(file: directory.appendingPathComponent(name)).read())?.entries ?? [] {
                    _ = reader.read(entry.stub.request) { _ in "" }
                    _ = reader.readBody(entry.stub) { _ in "" }
                }
            }
        }
        return named.compactMap { list, path in
            // A member inside another listed member counts as found with that member.
            guard !reader.foundPaths.contains(where: JSONKeyPath(path).keys.starts) else { return nil }
            return """
                \(list) lists \(path.quoted()), but no recorded body has a member at this path. A key path begins at the top \
                level of the body, and leaves out the indexes of lists: write `results.duration` for `results[0].duration`. \
                Correct or remove the path in \(file.relativeDisplayPath).
                """
        }
    }
}
