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

    /// Waits for a key.
    ///
    /// - Returns: The key in lower case; `nil` at the end of the input, and for Control-C and Control-D.
    func key() -> Character? {
        guard let settings else { return readLine()?.lowercased().first ?? nil }
        var single = settings
        single.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSANOW, &single)
        defer {
            var settings = settings
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
        var byte: UInt8 = 0
        guard read(STDIN_FILENO, &byte, 1) == 1, byte != 3, byte != 4 else { return nil }
        return Character(Unicode.Scalar(byte)).lowercased().first
    }
}
