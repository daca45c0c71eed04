import Foundation

/// A command found in `PATH` that writes all its output into a file.
///
/// It is not started with `Foundation.Process`, which on Linux considers a process running until all processes that it
/// started have ended. A killed test may leave such a process.
final class ChildProcess {
    private let identifier: pid_t
    private var ended: Int32?

    init(_ command: [String], log: URL) throws {
        try Data().write(to: log)
        // In a separate session, if there is a command for that: a process that loses its parent is found by its
        // session.
        let script = #"exec </dev/null >"$0" 2>&1; ! command -v setsid >/dev/null || set -- setsid "$@"; exec "$@""#
        let shell = ["/bin/sh", "-c", script, log.path] + command
        // A crash needs no backtrace.
        let environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        var arguments = shell.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var identifier: pid_t = 0
        let error = posix_spawn(&identifier, "/bin/sh", nil, nil, &arguments, &variables)
        guard error == 0 else { throw Failure("`\(command.joined(separator: " "))` does not start: error \(error).") }
        self.identifier = identifier
    }

    var isRunning: Bool { status(options: WNOHANG) == nil }

    /// The exit status, or the number of the signal that ended the process, negative.
    ///
    /// Reading it waits for the end of the process.
    var status: Int32 { status(options: 0) ?? -1 }

    private func status(options: Int32) -> Int32? {
        if let ended { return ended }
        var code: Int32 = 0
        let found = waitpid(identifier, &code, options)
        guard found != 0, found != -1 || errno != EINTR else { return nil }
        ended = found == -1 ? -1 : code & 0x7F == 0 ? (code >> 8) & 0xFF : -(code & 0x7F)
        return ended
    }

    /// Waits a moment for the process.
    ///
    /// - Throws: `Interruption` if this command is to end. The process is then killed, with all processes that it
    ///   started.
    func wait() throws {
        Thread.sleep(forTimeInterval: 0.1)
        guard let signal = Interruption.signal else { return }
        killTree()
        throw Interruption(signal: signal)
    }

    /// Kills the process and all processes that it started, and waits for their end.
    func killTree() {
        // A killed process may just have started another one.
        for _ in 0..<10 {
            let family = Self.family(of: identifier)
            if family.isEmpty { break }
            for member in family { kill(member, SIGKILL) }
            usleep(10_000)
        }
        while isRunning { usleep(10_000) }
    }

    /// Returns a process and all processes that it has started, directly or indirectly, without processes that have
    /// ended.
    ///
    /// `swift test` gives the tests a separate process group, so the group does not include them.
    private static func family(of identifier: pid_t) -> [pid_t] {
        let table = (try? output(of: ["ps", "-axo", "pid=,ppid=,sess=,stat="])) ?? ""
        var rows = table.split(separator: "\n").map { $0.split(separator: " ") }.filter { row in
            row.count == 4 && !row[3].hasPrefix("Z")
        }
        var family: Set<Substring> = ["\(identifier)"]
        var isGrowing = true
        while isGrowing {
            let members = rows.filter { family.contains($0[1]) || $0[2] == "\(identifier)" }.map { $0[0] }
            isGrowing = !family.isSuperset(of: members)
            family.formUnion(members)
        }
        rows.removeAll { !family.contains($0[0]) }
        return rows.compactMap { pid_t($0[0]) }
    }

    /// Returns the output of a command.
    static func output(of command: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("`\(command.joined(separator: " "))` failed.") }
        return String(decoding: data, as: UTF8.self)
    }
}

/// The error that ends this command after a signal.
struct Interruption: Error {
    let signal: Int32

    /// The first signal that came since `catchSignals()`.
    static var signal: Int32? { caught == 0 ? nil : caught }

    // Written once, by a signal handler, which may use no lock.
    nonisolated(unsafe) private static var caught: sig_atomic_t = 0

    /// Notes the signals that would end the command: the processes that it has started must end first.
    ///
    /// Commands that are started do not inherit the handler.
    static func catchSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            Foundation.signal(number) { Interruption.caught = $0 }
        }
    }
}
