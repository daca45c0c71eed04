import Foundation

/// The keys that a person presses, without waiting for the return key; in a pipe, the first letters of lines.
final class Keyboard {
    /// The key that `key()` returns when the process continues after Control-Z.
    static let resumed: Character = "\u{1A}"

    private let settings: termios?
    private var single = termios()

    /// A Boolean value that indicates whether standard input is a terminal.
    var isTerminal: Bool { settings != nil }

    init() {
        var settings = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else {
            self.settings = nil
            return
        }
        self.settings = settings
        single = settings
        // Control-C is a key as well: it ends the review between two decisions.
        single.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSANOW, &single)
        // A killed process must leave the terminal as it was.
        let signals = EndSignals()
        Task.detached { [settings] in
            let number = await signals.first()
            var settings = settings
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
            exit(128 + number)
        }
    }

    /// Restores the terminal.
    func end() {
        guard var settings else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Drops the keys that were pressed so far, because they were not meant for the next question.
    func forgetPressedKeys() {
        if isTerminal { tcflush(STDIN_FILENO, TCIFLUSH) }
    }

    /// The seconds in which a program that writes to the pipe must answer a question.
    private static let patience: Int32 = 20

    /// Reads a line of a pipe or file; `nil` at its end, or if nothing arrives: a program that has left standard input open may not
    /// expect a question.
    private func line() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while poll(&input, 1, Self.patience * 1_000) > 0, read(STDIN_FILENO, &byte, 1) == 1 {
            if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// The number of lines of the terminal.
    var lineCount: Int { Output.windowSize?.lines ?? 24 }

    /// Stops the process as Control-Z does, with the terminal as it was, until the shell continues it.
    private func stop() {
        end()
        raise(SIGTSTP)
        tcsetattr(STDIN_FILENO, TCSANOW, &single)
    }

    /// Waits for a key.
    ///
    /// A key that sends several bytes, such as an arrow, is one key: the escape character.
    ///
    /// - Returns: The key in lower case; `nil` at the end of the input, and for Control-C and Control-D.
    func key() -> Character? {
        guard isTerminal else { return line()?.lowercased().first }
        var byte: UInt8 = 0
        var count = read(STDIN_FILENO, &byte, 1)
        while count < 0, errno == EINTR { count = read(STDIN_FILENO, &byte, 1) }
        guard count == 1, byte != 3, byte != 4 else { return nil }
        if byte == 0x1A {
            stop()
            return Self.resumed
        }
        if byte == 0x1B {
            // The other bytes of the key follow at once.
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            while poll(&input, 1, 50) > 0, read(STDIN_FILENO, &byte, 1) == 1 {}
            return "\u{1B}"
        }
        return Character(Unicode.Scalar(byte)).lowercased().first
    }
}
