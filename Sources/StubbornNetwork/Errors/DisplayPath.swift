import Foundation

extension URL {
    /// The path for a text: relative to the current directory for a file inside it, absolute otherwise.
    package var relativeDisplayPath: String {
        let current = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path
    }
}

extension String {
    /// A path of at most 256 bytes; a longer one keeps its end, which names the file, behind `…`.
    var shortenedPath: String {
        utf8.count > 256 ? String(String(reversed()).cut().reversed()) : self
    }
}

extension [String] {
    /// Returns the first elements, and one that counts the others: `and 3 more`.
    package func listed(upTo maximumCount: Int) -> [String] {
        count <= maximumCount ? self : prefix(maximumCount) + ["and \(count - maximumCount) more"]
    }
}
