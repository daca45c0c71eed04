import Dispatch
import Foundation

/// The keys that a person presses, without waiting for the return key; in a pipe, the first letters of lines.
final class Keyboard {
    private let settings: termios?
    private var sources: [any DispatchSourceSignal] = []

    /// A Boolean value that indicates whether standard input is a terminal.
    var isTerminal: Bool { settings != nil }

    init() {
        var settings = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else {
            self.settings = nil
            return
        }
        self.settings = settings
        var single = settings
        // Control-C is a key as well: it ends the review between two decisions.
        single.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSANOW, &single)
        // A killed process must leave the terminal as it was.
        for number in [SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [settings] in
                var settings = settings
                tcsetattr(STDIN_FILENO, TCSANOW, &settings)
                exit(128 + number)
            }
            source.resume()
            sources.append(source)
        }
    }

    /// Gives the terminal back as it was.
    func end() {
        guard var settings else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Forgets the keys that were pressed so far: nobody means them for a question that is not asked yet.
    func forgetPressedKeys() {
        if isTerminal { tcflush(STDIN_FILENO, TCIFLUSH) }
    }

    /// Waits for a key.
    ///
    /// A key that sends several bytes, such as an arrow, is one key: the escape character.
    ///
    /// - Returns: The key in lower case; `nil` at the end of the input, and for Control-C and Control-D.
    func key() -> Character? {
        guard isTerminal else { return readLine()?.lowercased().first }
        var byte: UInt8 = 0
        guard read(STDIN_FILENO, &byte, 1) == 1, byte != 3, byte != 4 else { return nil }
        if byte == 0x1B {
            // The other bytes of the key follow at once.
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            while poll(&input, 1, 50) > 0, read(STDIN_FILENO, &byte, 1) == 1 {}
            return "\u{1B}"
        }
        return Character(Unicode.Scalar(byte)).lowercased().first
    }
}
