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
        let name = "\(fileName).json"
        let files = FileSystem.spellings(of: name, in: directory.path)
        // Strings are equal however their accents are encoded, and an existing file may encode them differently.
        let existing = files.first { $0 == name }
        file = directory.appendingPathComponent(existing ?? name, isDirectory: false)
        if existing != nil { return }
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
    /// A name that loses more than spaces ends in a checksum, so that `a/b`, `a-b` and `a b` have different files. So does
    /// a name that is shortened to the maximum length.
    ///
    ///     -[LoginTests testLogin]  →  LoginTests_testLogin
    ///     ../../etc/passwd         →  ___.._etc_passwd_9031d1f1
    package static func fileName(for name: String) -> String? {
        let name = name.precomposedStringWithCanonicalMapping
        let words = name.wordsOfXCTest?.joined(separator: " ") ?? name
        let kept = words.unicodeScalars.filter { !"[]-".unicodeScalars.contains($0) }
        var result = String(String.UnicodeScalarView(kept.map { isReplaced($0) ? "_" : $0 }))
        guard !result.isEmpty else { return nil }
        let dots = result.unicodeScalars.prefix { $0 == "." }.count
        result = String(repeating: "_", count: dots) + String(result.unicodeScalars.dropFirst(dots))
        if deviceNames.contains(result.prefix { $0 != "." }.uppercased()) { result = "_" + result }
        if result != words.replacingOccurrences(of: " ", with: "_") { result += "_" + checksum(of: name) }
        guard result.utf8.count > maximumByteCount else { return result }
        let end = "_" + Checksum(result).value.hexadecimal
        return String(result.prefix(ofByteCount: maximumByteCount - end.utf8.count)) + end
    }

    /// The names of devices, which are not allowed for files on Windows: `CON.json` cannot be checked out there.
    private static let deviceNames = Set(
        ["CON", "PRN", "AUX", "NUL"] + (0...9).flatMap { ["COM\($0)", "LPT\($0)"] }
    )

    /// Returns a short checksum of a string.
    ///
    /// It is the same in every process and on every platform.
    package static func checksum(of text: String) -> String {
        let hash = Checksum(text).value
        return String(format: "%08x", UInt32(truncatingIfNeeded: hash ^ hash >> 32))
    }

    private static func isReplaced(_ scalar: Unicode.Scalar) -> Bool {
        // Except the space, Windows allows none of these.
        if " /\\:\"*?|<>".unicodeScalars.contains(scalar) { return true }
        let invisible: [Unicode.GeneralCategory] = [.control, .lineSeparator, .paragraphSeparator, .format, .surrogate]
        return invisible.contains(scalar.properties.generalCategory)
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
