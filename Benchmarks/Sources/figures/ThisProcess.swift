import Foundation

/// The system's data about the calling process.
enum ThisProcess {
    /// The most memory that it has had so far, in bytes.
    ///
    /// On Linux, this is not `ru_maxrss`, which begins with the parent's memory at the start of the process.
    static var peakMemory: Int {
        #if os(Linux)
            (number(after: "VmHWM:", in: "/proc/self/status") ?? 0) * 1_024
        #else
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #endif
    }

    /// The number of bytes that it has passed to `write` so far; `nil` if the system does not say.
    static var writtenByteCount: Int? {
        number(after: "wchar:", in: "/proc/self/io")
    }

    private static func number(after key: String, in file: String) -> Int? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(key) })
        else { return nil }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }
}
