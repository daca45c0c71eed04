import Foundation

/// The directory and the name of a stub file.
///
/// Every name stays inside the directory.
struct StubFileLocation: Sendable, Hashable {
    /// The name as it was given, usually the test's.
    let name: String

    let directory: URL

    /// The stub file: `<directory>/<file name>.json`.
    let file: URL

    /// Creates a location; `nil` when no part of the name can name a file, or the path is empty.
    ///
    /// - Parameters:
    ///   - name: The name, usually the test's.
    ///   - path: The stub directory, absolute or relative to the current directory. It need not exist.
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

    /// The longest name of a stub file in bytes, without its extension.
    ///
    /// Every file system accepts a name of this length.
    static let maximumByteCount = 200

    /// Returns the file name for a test's name, without extension; `nil` when nothing is left of the name.
    ///
    /// Spaces become `_`, and XCTest's `-[Class method]` becomes `Class_method`. Other brackets and hyphens are removed.
    /// Characters that could leave the directory or break a file system become `_`. Such a name then ends in a checksum of
    /// what it was: `a/b` and `a-b` are not the file of `a b`.
    ///
    ///     -[LoginTests testLogin]  →  LoginTests_testLogin
    ///     ../../etc/passwd         →  ___.._etc_passwd_9031d1f1
    ///
    /// A name of more than 200 bytes is cut, and ends in a checksum of the whole name: two long names with the same
    /// beginning are two files.
    static func fileName(for name: String) -> String? {
        var result = ""
        var isPlain = true
        for scalar in (nameOfXCTest(name) ?? name).unicodeScalars {
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
            result =
                String(repeating: "_", count: dots) + result.unicodeScalars.dropFirst(dots).map(String.init).joined()
            isPlain = false
        }
        guard !result.isEmpty else { return nil }
        if !isPlain { result += "_" + checksum(of: name) }
        return result.utf8.count <= maximumByteCount ? result : shortened(result)
    }

    /// Returns the class and the method of a name as XCTest writes it, `-[LoginTests testLogin]`; `nil` for any other.
    private static func nameOfXCTest(_ name: String) -> String? {
        guard name.hasPrefix("-["), name.hasSuffix("]") else { return nil }
        let words = name.dropFirst(2).dropLast()
        return words.split(separator: " ", omittingEmptySubsequences: false).count == 2 ? String(words) : nil
    }

    /// Returns a short checksum of a text, which is the same in every process and on every platform.
    static func checksum(of text: String) -> String {
        let hash = fnv1a(text)
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
        let checksum = "_" + String(format: "%016llx", fnv1a(name))
        var result = ""
        for character in name {
            guard result.utf8.count + String(character).utf8.count + checksum.utf8.count <= maximumByteCount else {
                break
            }
            result.append(character)
        }
        return result + checksum
    }

    /// Returns the 64-bit FNV-1a hash, which is the same in every process and on every platform.
    private static func fnv1a(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
