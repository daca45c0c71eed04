import Foundation

/// The directory and the name of a stub file.
///
/// The file is always inside the directory.
package struct StubFileLocation: Sendable, Hashable {
    var directory: URL { file.deletingLastPathComponent() }

    /// The stub file: `<directory>/<file name>.json`.
    package let file: URL

    /// The file name that this process used first for each path; the paths are in lower case.
    private static let owners = Lock<[String: String]>([:])

    /// Creates the location of a name in a directory.
    ///
    /// - Throws: an error with `origin` or the directory, if the name or the path is unusable. An error with both
    ///   files, if their names differ only in case: many file systems would treat them as one.
    package init(name: String, path: String, origin: String? = nil) throws(StubbornNetworkError) {
        guard let fileName = Self.fileName(for: name), !path.isEmpty, !path.utf8.contains(0) else {
            throw .unusableName(name, origin: origin ?? (path.isEmpty ? "in an empty directory" : "in \(path)"))
        }
        let directory = URL(fileURLWithPath: (path as NSString).expandingTildeInPath, isDirectory: true)
        // A file from an earlier version, perhaps with a name that Windows does not allow.
        let earlier = Self.fileName(for: name, asInEarlierVersions: true)
        if let earlier, earlier != fileName, !FileSystem.spellings(of: "\(earlier).json", in: directory.path).isEmpty {
            file = directory.appendingPathComponent("\(earlier).json", isDirectory: false)
            return
        }
        let name = "\(fileName).json"
        let files = FileSystem.spellings(of: name, in: directory.path)
        // Strings are equal however their accents are encoded, and an existing file may encode them differently.
        if let existing = files.first(where: { $0 == name }) {
            file = directory.appendingPathComponent(existing, isDirectory: false)
            return
        }
        file = directory.appendingPathComponent(name, isDirectory: false)
        let first = files.first ?? Self.owners.withLock { $0[file.path.lowercased()].orSet { name } }
        if first != name { throw .namesDifferInCase(name, first, in: directory) }
    }

    /// Creates the location of a file that a person chose.
    ///
    /// Its name is not changed.
    package init(file: URL) { self.file = file }

    /// The longest name of a stub file in bytes, without its extension: every file system accepts it.
    static let maximumByteCount = 200

    /// Returns the file name for a test's name, without extension; `nil` when nothing is left of the name.
    ///
    /// A name that loses more than spaces ends in a checksum, so that `a/b`, `a-b` and `a b` have different files.
    ///
    ///     -[LoginTests testLogin]  →  LoginTests_testLogin
    ///     ../../etc/passwd         →  ___.._etc_passwd_9031d1f1
    package static func fileName(for name: String) -> String? {
        fileName(for: name, asInEarlierVersions: false)
    }

    /// The names of devices, which no file on Windows can have: `CON.json` cannot be checked out there.
    private static let deviceNames = Set(
        ["CON", "PRN", "AUX", "NUL"] + (0...9).flatMap { ["COM\($0)", "LPT\($0)"] }
    )

    /// Returns the file name that earlier versions used, if Windows may not allow it.
    private static func fileName(for name: String, asInEarlierVersions isEarlier: Bool) -> String? {
        let name = name.precomposedStringWithCanonicalMapping
        var result = ""
        var isPlain = true
        for scalar in (name.wordsOfXCTest?.joined(separator: " ") ?? name).unicodeScalars {
            switch scalar {
            case " ": result += "_"
            case "[", "]", "-": isPlain = false
            case "*", "?", "|", "<", ">":
                result.unicodeScalars.append(isEarlier ? scalar : "_")
                isPlain = isPlain && isEarlier
            case _ where isUnsafe(scalar):
                result += "_"
                isPlain = false
            default: result.unicodeScalars.append(scalar)
            }
        }
        let dots = result.unicodeScalars.prefix { $0 == "." }.count
        if dots > 0 {
            result = String(repeating: "_", count: dots) + String(result.unicodeScalars.dropFirst(dots))
            isPlain = false
        }
        guard !result.isEmpty else { return nil }
        if !isEarlier, deviceNames.contains(result.prefix { $0 != "." }.uppercased()) {
            result = "_" + result
            isPlain = false
        }
        if !isPlain { result += "_" + checksum(of: name) }
        return shortened(result)
    }

    /// Returns a short checksum of a string.
    ///
    /// It is the same in every process and on every platform.
    package static func checksum(of text: String) -> String {
        let hash = Checksum(text).value
        return String(format: "%08x", UInt32(truncatingIfNeeded: hash ^ hash >> 32))
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if "/\\:\"".unicodeScalars.contains(scalar) { return true }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate: true
        default: false
        }
    }

    /// Returns the name, shortened to the maximum length with a checksum at its end.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > maximumByteCount else { return name }
        let checksum = "_" + Checksum(name).value.hexadecimal
        return name.prefix(ofByteCount: maximumByteCount - checksum.utf8.count) + checksum
    }
}

extension String {
    /// The class and the method of a test's name as XCTest writes it, `-[LoginTests testLogin]`; `nil` for any other.
    var wordsOfXCTest: [Substring]? {
        guard hasPrefix("-["), hasSuffix("]") else { return nil }
        let words = dropFirst(2).dropLast().split(separator: " ", omittingEmptySubsequences: false)
        return words.count == 2 ? words : nil
    }
}
