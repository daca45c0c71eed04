import Foundation

/// The reason why a command cannot do its work: what is wrong, where, and what to do about it.
///
/// It ends the command with the exit status 2.
struct ToolError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

extension ToolError {
    /// Performs work on a file, and shows the file in the error if the work fails.
    ///
    ///     report.html cannot be written: The file doesn’t exist.
    static func naming<Value>(_ file: String, _ action: String, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch {
            throw ToolError("\(file) cannot be \(action): \(error.localizedDescription)")
        }
    }

    /// Writes a file, in place of an older one.
    static func write(_ text: Data, to file: String) throws {
        try naming(file, "written") { try text.write(to: URL(fileURLWithPath: file), options: .atomic) }
    }
}
