import Foundation

/// A second process of this program.
struct Helper {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = Bundle.main.executableURL
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// The first line that it prints.
    ///
    /// - Throws: `Failed`, when it prints none.
    func firstLine() throws -> String {
        var text = Data()
        while !text.contains(UInt8(ascii: "\n")) {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { throw Failed(arguments: process.arguments ?? []) }
            text.append(part)
        }
        return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Closes the standard input of the process, which then ends, and waits for its end.
    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    struct Failed: Error, CustomStringConvertible {
        let arguments: [String]

        var description: String { "figures \(arguments.joined(separator: " ")) ended without saying anything." }
    }
}
