import Foundation

/// The few calls on paths that stub files need, with the system's own errors.
enum FileSystem {
    /// The directory that a file lies in: `.` for a bare name.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a directory, and those that it lies in, where they are not there yet.
    static func createDirectory(_ path: String) throws(SystemError) {
        if let found = try FileFingerprint.ofFile(at: path) {
            guard found.isDirectory else { throw SystemError(ENOTDIR) }
            return
        }
        var ends = path.indices.filter { path[$0] == "/" && $0 > path.startIndex }
        ends.append(path.endIndex)
        for end in ends {
            guard mkdir(String(path[..<end]), 0o777) != 0 else { continue }
            // What is there already may refuse to be made for another reason than being there (a read-only disk, say).
            let failure = SystemError.last
            guard try FileFingerprint.ofFile(at: String(path[..<end])) != nil else { throw failure }
        }
    }

    /// Makes an empty file in the directory of another, under a name that nobody else has: `.Login.json.5f3a91c2`.
    ///
    /// - Parameter ending: what the name ends with, behind that.
    static func temporaryFile(
        beside path: String,
        ending: String = ""
    ) throws(SystemError) -> (FileDescriptor, path: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        var failure = SystemError(EEXIST)
        for _ in 0..<100 {
            let suffix = String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16)
            let temporary = "\(directory(of: path))/.\(name).\(suffix)\(ending)"
            do {
                return (try FileDescriptor.creating(temporary), temporary)
            } catch {
                failure = error
                guard error.number == EEXIST else { break }
            }
        }
        throw failure
    }

    /// Whether a name is one that `temporaryFile` gives beside a file.
    static func isTemporary(_ name: String, beside file: String, ending: String = "") -> Bool {
        guard name.hasPrefix(".\(file)."), name.hasSuffix(ending) else { return false }
        let suffix = name.utf8.dropFirst(file.utf8.count + 2).dropLast(ending.utf8.count)
        return suffix.count == 8 && suffix.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    /// The names in a directory that begin with a text; none where it cannot be read.
    static func names(in directory: String, beginningWith prefix: String) -> [String] {
        guard let stream = opendir(directory), let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else {
            return []
        }
        defer { closedir(stream) }
        let prefix = Array(prefix.utf8)
        var names: [String] = []
        while let entry = readdir(stream) {
            // By its address: the entry is as long as its name, so a copy of the whole would read beyond it.
            let start = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            let name = UnsafeRawBufferPointer(start: start, count: strlen(start))
            if name.starts(with: prefix) { names.append(String(decoding: name, as: UTF8.self)) }
        }
        return names.sorted()
    }

    /// Puts a file in another's place, at once.
    static func move(_ path: String, to destination: String) throws(SystemError) {
        guard rename(path, destination) == 0 else { throw .last }
    }

    static func remove(_ path: String) {
        _ = unlink(path)
    }

    /// Where a symbolic link leads; `nil` for what is none.
    static func target(ofLink path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { name in
                name.baseAddress.map { readlink(path, $0, name.count) } ?? -1
            }
        }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}

extension FileSystem {
    /// Whether a path lies in a directory or below it, with all symbolic links followed. The file itself need not be there.
    static func isInside(_ path: String, directory: String) -> Bool {
        guard let outer = canonical(directory), let inner = canonical(self.directory(of: path)) else { return false }
        return inner == outer || inner.hasPrefix(outer == "/" ? outer : outer + "/")
    }

    private static func canonical(_ directory: String) -> String? {
        guard let resolved = realpath(directory, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether files can be made in a directory, as far as the system says beforehand.
    static func checkWritable(_ directory: String) throws(SystemError) {
        guard access(directory, W_OK | X_OK) == 0 else { throw .last }
    }
}
