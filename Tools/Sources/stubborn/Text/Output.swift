import ArgumentParser
import Foundation
@preconcurrency import Rainbow

/// The command's standard output, which is for data, and its standard error, which is for messages.
enum Output {
    private static let isClosed = Locked(false)

    /// A Boolean value that indicates whether the reader of standard output has seen enough, as `head` has.
    static var hasNoReader: Bool { isClosed.withLock { $0 } }

    /// Writes a string and a line break to standard output.
    ///
    /// When the reader has seen enough, the text is dropped. The command completes its work, and its exit status shows
    /// the result.
    ///
    /// - Throws: `ToolError` if standard output cannot be written, because the disk is full for example.
    static func write(_ text: String) throws {
        try write(Data((text + "\n").utf8))
    }

    /// Writes bytes to standard output.
    static func write(_ data: Data) throws {
        guard !hasNoReader else { return }
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
            if cause.code == Int(EPIPE) { return isClosed.withLock { $0 = true } }
            throw ToolError("Standard output cannot be written: \(error.localizedDescription)")
        }
    }

    /// The size of the terminal that standard output is; `nil` for a file or a pipe.
    static var windowSize: (lines: Int, columns: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// Writes a message and a line break to standard error.
    static func say(_ message: String) {
        try? FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
    }

    /// Prints the reason why a command cannot do its work, and returns its exit status.
    static func failure(_ message: String) -> ExitCode {
        say("error: \(message)")
        return .impossible
    }
}

/// The option of the commands that write in colors on a terminal.
struct ColorOptions: ParsableArguments {
    @Flag(
        name: .customLong("no-color"),
        help: "Write without colors. They are also left out in a pipe, and if NO_COLOR is set."
    )
    var isPlain = false

    /// Turns colors on or off for the whole command.
    func validate() throws {
        Rainbow.enabled = Rainbow.enabled && !isPlain && Rainbow.outputTarget == .console
    }
}
