import Foundation

/// A real terminal, in which a test presses keys and reads the screen: a session of tmux.
final class TerminalWindow {
    /// The name of the server's socket, which is in the arguments of all its processes.
    let socket = "stubborn-\(UUID().uuidString)"

    static let isAvailable = {
        let result = try? Tool.run(env, ["tmux", "-V"], in: URL(fileURLWithPath: "/"))
        return result?.status == 0
    }()

    private static let env = URL(fileURLWithPath: "/usr/bin/env")

    /// Opens a terminal of 40 lines with a shell in it that runs a command.
    init(running command: String, in directory: URL, columns: Int = 100) throws {
        let size = ["-x", "\(columns)", "-y", "40"]
        try tmux(["-f", "/dev/null", "new-session", "-d"] + size + ["-c", directory.path, "PS1='$ ' sh"])
        // Tests that crash or are killed close no window.
        let tests = ProcessInfo.processInfo.processIdentifier
        let closing = "tmux -L \(socket) kill-session; rm -f '#{socket_path}'"
        try tmux(["run-shell", "-b", "while kill -0 \(tests) 2>/dev/null; do sleep 1; done; \(closing)"])
        try type(command, "Enter")
    }

    /// Closes the window, and with it the last session of the server, which ends.
    ///
    /// `kill-server` would send the server SIGTERM, which it ignores: it was started on a thread without signals.
    deinit {
        let file = try? tmux(["display-message", "-p", "#{socket_path}"]).trimmingCharacters(in: .newlines)
        _ = try? tmux(["kill-session"])
        if let file { try? FileManager.default.removeItem(atPath: file) }
    }

    /// Presses keys by their names: `a`, `Enter`, `C-c`.
    func type(_ keys: String...) throws {
        for key in keys { try tmux(["send-keys", key]) }
    }

    /// The text on the screen, with the escapes of colors.
    func coloredScreen() throws -> String { try tmux(["capture-pane", "-p", "-e"]) }

    /// Waits until the screen shows a string, and returns it; after many looks, it returns the last content.
    func screen(showing text: String) throws -> String {
        var screen = ""
        for _ in 0..<600 {
            screen = try tmux(["capture-pane", "-p"])
            if screen.contains(text) { return screen }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return screen
    }

    @discardableResult
    private func tmux(_ arguments: [String]) throws -> String {
        let environment: [String: String?] = [
            "TMUX": nil, "TERM": "xterm-256color", "NO_COLOR": nil, "LC_ALL": "C.UTF-8",
        ]
        // The server that tmux leaves running must not keep open what Foundation waits for the end of (on Linux).
        let script = #"for ((fd = 3; fd < 256; fd++)); do eval "exec $fd>&-"; done; exec tmux "$@""#
        let result = try Tool.run(
            Self.env,
            ["bash", "-c", script, "tmux", "-u", "-L", socket] + arguments,
            // Not the test's directory: that may be gone when the window is closed.
            in: URL(fileURLWithPath: "/"),
            environment: environment
        )
        guard result.status == 0 else { throw Tool.Failure(message: "tmux \(arguments): \(result.errors)") }
        return result.output
    }
}
