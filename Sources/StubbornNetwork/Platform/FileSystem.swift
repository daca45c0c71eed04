import Foundation

/// The operations on paths that this library needs, with the system's own errors.
///
/// `FileDescriptor` has those on open files.
enum FileSystem {
    /// Returns the path of the directory of a file: `.` for a name alone.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the state of the file at a path, with symbolic links followed; `nil` if there is none.
    static func fingerprint(at path: String) throws(SystemError) -> FileFingerprint? {
        var status = stat()
        if stat(path, &status) == 0 { return FileFingerprint(status) }
        guard errno == ENOENT else { throw .last }
        return nil
    }

    /// Returns a Boolean value that indicates whether there is a file or a directory at a path.
    static func exists(_ path: String) -> Bool {
        (try? fingerprint(at: path)) != nil
    }

    /// Creates a directory and the directories above it, unless they exist.
    static func createDirectory(_ path: String) throws(SystemError) {
        if let found = try fingerprint(at: path) {
            guard found.isDirectory else { throw SystemError(ENOTDIR) }
            return
        }
        var ends = path.indices.filter { path[$0] == "/" && $0 > path.startIndex }
        ends.append(path.endIndex)
        for end in ends {
            guard mkdir(String(path[..<end]), 0o777) != 0 else { continue }
            // The error for an existing directory may be another than "exists": on a read-only disk, for example.
            let failure = SystemError.last
            guard try fingerprint(at: String(path[..<end])) != nil else { throw failure }
        }
    }

    /// Creates an empty file in the directory of another, with a name that no other file has: `.Login.json.5f3a91c2`.
    ///
    /// - Parameters:
    ///   - path: the path of the other file.
    ///   - ending: the end of the name, after that.
    /// - Returns: the new file, open for writing, and its path.
    /// - Throws: the error of creating the file.
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

    /// Returns a Boolean value that indicates whether `temporaryFile` makes names of this form for a file.
    static func isTemporary(_ name: String, beside file: String, ending: String = "") -> Bool {
        guard name.hasPrefix(".\(file)."), name.hasSuffix(ending) else { return false }
        let suffix = name.utf8.dropFirst(file.utf8.count + 2).dropLast(ending.utf8.count)
        return suffix.count == 8 && suffix.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    /// Returns the names in a directory that begin with a text, sorted; none if the directory cannot be read.
    static func names(in directory: String, beginningWith prefix: String) -> [String] {
        guard let stream = opendir(directory), let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else {
            return []
        }
        defer { closedir(stream) }
        let prefix = Array(prefix.utf8)
        var names: [String] = []
        while let entry = readdir(stream) {
            // The entry is only as long as its name: copying the whole structure would read beyond its end.
            let start = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            let name = UnsafeRawBufferPointer(start: start, count: strlen(start))
            if name.starts(with: prefix) { names.append(String(decoding: name, as: UTF8.self)) }
        }
        return names.sorted()
    }

    /// Replaces a file, or creates it.
    ///
    /// Another process that opens it gets the old content or the new, never a part. If this fails, the old file stays.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - old: the state of the old file, whose permissions the new one gets; `nil` for the usual permissions.
    ///   - content: passes the content on, chunk by chunk.
    ///   - beforeMove: called with the state of the complete new file, before it replaces the old one.
    /// - Throws: the error of writing or moving the new file, or that of `content` or `beforeMove`.
    static func replaceFile(
        at path: String,
        _ old: FileFingerprint? = nil,
        with content: ((Data) throws(SystemError) -> Void) throws(SystemError) -> Void,
        beforeMove: (FileFingerprint) throws(SystemError) -> Void = { _ in }
    ) throws(SystemError) {
        let (descriptor, temporary) = try temporaryFile(beside: path)
        do throws(SystemError) {
            if let old { descriptor.adoptPermissions(of: old) }
            var buffer = Data()
            try content { chunk throws(SystemError) in
                buffer.append(chunk)
                guard buffer.count >= 1 << 20 else { return }
                try descriptor.writeAll(buffer)
                buffer.removeAll(keepingCapacity: true)
            }
            try descriptor.writeAll(buffer)
            let fingerprint = try descriptor.fingerprint()
            try descriptor.finish()
            try beforeMove(fingerprint)
            try move(temporary, to: path)
        } catch {
            remove(temporary)
            throw error
        }
    }

    /// Renames a file; a file of the new name is replaced in the same step.
    static func move(_ path: String, to destination: String) throws(SystemError) {
        guard rename(path, destination) == 0 else { throw .last }
    }

    /// Removes a file, if it exists.
    static func remove(_ path: String) {
        _ = unlink(path)
    }

    /// Returns the target of a symbolic link; `nil` if the path is none.
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
    /// Returns a Boolean value that indicates whether a path is in a directory or below it.
    ///
    /// All symbolic links are followed. The file itself need not exist.
    static func isInside(_ path: String, directory: String) -> Bool {
        guard let outer = canonical(directory), let inner = canonical(self.directory(of: path)) else { return false }
        return inner == outer || inner.hasPrefix(outer == "/" ? outer : outer + "/")
    }

    private static func canonical(_ directory: String) -> String? {
        guard let resolved = realpath(directory, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Throws an error if files cannot be created in a directory, as far as the system says beforehand.
    static func checkWritable(_ directory: String) throws(SystemError) {
        guard access(directory, W_OK | X_OK) == 0 else { throw .last }
    }
}
