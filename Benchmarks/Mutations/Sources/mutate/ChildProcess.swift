import Foundation

/// A command found in `PATH` that writes all its output into a file.
///
/// It is not started with `Foundation.Process`: on Linux that one takes a process for running until all that it started have
/// ended, and a killed test may leave something behind.
final class ChildProcess {
    private let identifier: pid_t
    private var ended: Int32?

    init(_ command: [String], log: URL) throws {
        try Data().write(to: log)
        let shell = ["/bin/sh", "-c", #"exec "$@" </dev/null >"$0" 2>&1"#, log.path] + command
        // A crash is a crash: nobody waits for its backtrace.
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

    /// Kills the process with all that it started, and waits for its end.
    ///
    /// `swift test` gives the tests a process group of their own, so killing its own group would not reach them.
    func killTree() {
        let table = (try? Self.output(of: ["ps", "-axo", "pid=,ppid="])) ?? ""
        var children: [Int32: [Int32]] = [:]
        for line in table.split(separator: "\n") {
            let numbers = line.split(separator: " ").compactMap { Int32($0) }
            if numbers.count == 2 { children[numbers[1], default: []].append(numbers[0]) }
        }
        var family = [identifier]
        var next = 0
        while next < family.count {
            family += children[family[next]] ?? []
            next += 1
        }
        for member in family { kill(member, SIGKILL) }
        while isRunning { usleep(10_000) }
    }

    /// Returns all that a command prints.
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
