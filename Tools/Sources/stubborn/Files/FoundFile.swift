import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// A file that was passed to a command, or that the command found below a directory that was passed to it.
struct FoundFile: Sendable {
    /// The path, relative to the current directory if a relative path was passed to the command.
    let path: String

    /// A Boolean value that indicates whether the file itself was passed to the command.
    let isNamed: Bool

    /// The paths of the journals that recordings have left next to the file: `.Login.json.5f3a91c2.journal`.
    var journals: [String] = []

    /// A Boolean value that indicates whether the input of the command is not a file: `-` for standard input, or a
    /// pipe.
    var isPipe = false

    var url: URL { URL(fileURLWithPath: path == "-" ? "/dev/stdin" : path) }

    /// Reads the stub file.
    ///
    /// - Returns: The stub file; `nil` for a file that was found below a directory, and has no stubs: a fixture may be `[]`.
    /// - Throws: `StubbornNetworkError` for a stub file that cannot be read, or is damaged.
    func read() throws -> StubFile? {
        guard isNamed || mayBeStubFile else { return nil }
        if isPipe {
            let input = path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: url)
            return try StubFile(input.readToEnd() ?? Data(), at: url)
        }
        do {
            let file = try StubFile(contentsOf: url)
            return isNamed || !file.stubs.isEmpty ? file : nil
        } catch let error as StubbornNetworkError where error.code == .malformedStubFile && !isNamed {
            guard isDamagedStubFile else { return nil }
            throw error
        }
    }

    /// A Boolean value that indicates whether the text begins like an array; a file that cannot be opened may be one.
    private var mayBeStubFile: Bool {
        guard let file = try? FileHandle(forReadingFrom: url), let start = try? file.read(upToCount: 4_096) else {
            return true
        }
        try? file.close()
        // An editor may have saved it in UTF-16.
        if start.contains(0) { return true }
        let text = start.drop { $0 == 0x20 || (0x09...0x0D).contains($0) || [0xEF, 0xBB, 0xBF].contains($0) }
        // Git marks conflicts with `<<<<<<<`.
        return text.first.map { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "<") } ?? true
    }

    /// A Boolean value that indicates whether a file that cannot be parsed has stubs in it, or nothing at all.
    ///
    /// In JSON, a stub is an object with an object `request`; `[{"request": 5}]` is a fixture.
    private var isDamagedStubFile: Bool {
        guard var text = try? Data(contentsOf: url, options: .mappedIfSafe) else { return true }
        if let json = try? JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed) {
            let elements = json as? [Any] ?? []
            return elements.contains { ($0 as? [String: Any])?["request"] is [String: Any] }
        }
        // In UTF-16 and UTF-32, zeros are between the letters.
        if text.prefix(4).contains(0) { text = Data(text.filter { $0 != 0 }) }
        return text.isEmpty || text.range(of: Data(#""request""#.utf8)) != nil
    }
}

extension FoundFile {
    /// Returns the files at some paths: a file itself, and every JSON file below a directory, sorted by path.
    ///
    /// Hidden files and folders are left out, including `.build` and `.git`. Links to directories are not followed.
    ///
    /// - Throws: `ToolError` for a path at which there is nothing, and for a directory that cannot be read.
    static func find(in paths: [String]) throws -> [FoundFile] {
        var result: [FoundFile] = []
        var known: Set<String> = []
        for path in paths {
            if path == "-" {
                result.append(FoundFile(path: path, isNamed: true, isPipe: true))
                continue
            }
            // A recording that was killed may have left nothing but its journal.
            guard FileManager.default.fileExists(atPath: path) || !file(at: path).journals.isEmpty else {
                throw ToolError("There is no file or directory at \(path). Check the path.")
            }
            let found = path.isDirectory ? try files(below: path) : [file(at: path)]
            result += found.filter { known.insert($0.url.standardizedFileURL.path).inserted }
        }
        return result
    }

    /// Returns the type of a file, or of a link itself, which may lead back; `nil` if there is nothing.
    static func type(of path: String) -> FileAttributeType? {
        try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    }

    private static func file(at path: String) -> FoundFile {
        let directory = (path as NSString).deletingLastPathComponent
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.isEmpty ? "." : directory)) ?? []
        var status = stat()
        let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        return FoundFile(path: path, isNamed: true, journals: journals(of: path, in: names), isPipe: isPipe)
    }

    private static func journals(of path: String, in names: [String]) -> [String] {
        let (directory, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        return names.filter { $0.hasPrefix(".\(name).") && $0.hasSuffix(".journal") }.sorted().map {
            directory.isEmpty ? $0 : "\(directory)/\($0)"
        }
    }

    private static func files(below directory: String) throws -> [FoundFile] {
        let files = try contents(below: directory).flatMap { directory, names in
            let journals = names.filter { $0.hasPrefix(".") && $0.hasSuffix(".journal") }
            return names.compactMap { name -> FoundFile? in
                let path = directory.directoryPrefix + name
                guard !name.hasPrefix("."), name.lowercased().hasSuffix(".json"),
                    [.typeRegular, .typeSymbolicLink].contains(type(of: path))
                else { return nil }
                return FoundFile(path: path, isNamed: false, journals: Self.journals(of: path, in: journals))
            }
        }
        return files.sorted { $0.path < $1.path }
    }

    /// Returns a directory and those below it, each with the names that are in it; hidden directories are left out.
    static func contents(below directory: String) throws -> [(directory: String, names: [String])] {
        let names = try ToolError.naming("The directory \(directory)", "read") {
            try FileManager.default.contentsOfDirectory(atPath: directory)
        }
        let directories = names.filter { !$0.hasPrefix(".") }.map { directory.directoryPrefix + $0 }
            .filter { type(of: $0) == .typeDirectory }
        return try [(directory, names)] + directories.flatMap(contents)
    }

    /// Reads the stub files at some paths, one after the other, and passes them on.
    ///
    /// Files that cannot be read, and directories without stub files, are listed on standard error. The latter are not
    /// errors.
    ///
    /// - Parameters:
    ///   - paths: The files and directories.
    ///   - skip: The function that gets each file that could not be read.
    ///   - body: The function that gets each stub file.
    /// - Returns: The number of files that could not be read.
    /// - Throws: `ToolError` for a path at which there is nothing, and the errors of `body` other than `StubbornNetworkError`.
    static func forEach(
        in paths: [String],
        skipping skip: (FoundFile) -> Void = { _ in },
        _ body: (FoundFile, StubFile) throws -> Void
    ) throws -> Int {
        var (count, failureCount) = (0, 0)
        for found in try find(in: paths) {
            do {
                guard let file = try found.read() else { continue }
                count += 1
                try body(found, file)
            } catch let error as StubbornNetworkError {
                failureCount += 1
                skip(found)
                Output.say("error: \(error.description)")
            }
        }
        if count + failureCount == 0 { Output.say("There are no stub files: \(paths.joined(separator: ", "))") }
        return failureCount
    }
}

extension String {
    /// A Boolean value that indicates whether there is a directory at this path.
    var isDirectory: Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: self, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// The beginning of the paths of files in this directory; empty for the current one.
    var directoryPrefix: String { self == "." ? "" : hasSuffix("/") ? self : self + "/" }
}

extension ToolError {
    /// Reads a file or a pipe, such as `<(curl --include …)` of a shell; `-` is standard input.
    ///
    /// - Throws: `ToolError` with the name.
    static func contents(of path: String, named name: String? = nil) throws -> Data {
        let name = name ?? path
        guard !path.isDirectory else { throw ToolError("\(name) is a directory. Pass a file.") }
        return try naming(name, "read") {
            let input = path == "-" ? .standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            return try input.readToEnd() ?? Data()
        }
    }
}
