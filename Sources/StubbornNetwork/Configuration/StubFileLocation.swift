import Foundation

/// The directory and the name of a stub file, which stays inside the directory.
package struct StubFileLocation: Sendable, Hashable {
    /// The name as it was given, usually the test's.
    let name: String
    let directory: URL

    /// The stub file: `<directory>/<file name>.json`.
    let file: URL

    /// Creates a location; `nil` when no part of the name can name a file, or the path of the directory is empty.
    init?(name: String, path: String) {
        guard let fileName = Self.fileName(for: name), !path.isEmpty, !path.utf8.contains(0) else { return nil }
        self.name = name
        directory = URL(fileURLWithPath: (path as NSString).expandingTildeInPath, isDirectory: true)
        file = directory.appendingPathComponent(fileName + ".json", isDirectory: false)
    }

    /// Creates the location of a file that was named by a person, whatever its name is.
    init(file: URL) {
        name = file.deletingPathExtension().lastPathComponent
        directory = file.deletingLastPathComponent()
        self.file = file
    }

    /// The longest name of a stub file in bytes, without its extension: every file system accepts it.
    static let maximumByteCount = 200

    /// Returns the file name for a test's name, without extension; `nil` when nothing is left of the name.
    ///
    /// A name that loses more than spaces ends in a checksum: `a/b` and `a-b` are not the file of `a b`.
    ///
    ///     -[LoginTests testLogin]  →  LoginTests_testLogin
    ///     ../../etc/passwd         →  ___.._etc_passwd_9031d1f1
    package static func fileName(for name: String) -> String? {
        var result = ""
        var isPlain = true
        for scalar in (name.wordsOfXCTest?.joined(separator: " ") ?? name).unicodeScalars {
            switch scalar {
            case " ": result += "_"
            case "[", "]", "-": isPlain = false
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
        if !isPlain { result += "_" + checksum(of: name) }
        return result.utf8.count <= maximumByteCount ? result : shortened(result)
    }

    /// Returns a short checksum of a text, which is the same in every process and on every platform.
    package static func checksum(of text: String) -> String {
        let hash = hash(of: text)
        return String(format: "%08x", UInt32(truncatingIfNeeded: hash ^ hash >> 32))
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if "/\\:\"".unicodeScalars.contains(scalar) { return true }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate: true
        default: false
        }
    }

    private static func shortened(_ name: String) -> String {
        let checksum = "_" + String(format: "%016llx", hash(of: name))
        var room = maximumByteCount - checksum.utf8.count
        let beginning = name.prefix { character in
            room -= character.utf8.count
            return room >= 0
        }
        return beginning + checksum
    }

    private static func hash(of text: String) -> UInt64 {
        var checksum = Checksum()
        text.withBytes { checksum.add($0) }
        return checksum.value
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
