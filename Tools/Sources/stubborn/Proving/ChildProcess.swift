import Foundation

/// A program in a process group of its own, which ends with this command.
final class ChildProcess: Sendable {
    /// The groups that run, which a signal to this command ends.
    private static let running = Locked<Set<pid_t>>([])
    /// The end of this command by a signal, with all that it has started.
    private static let signals: Void = {
        let signals = EndSignals()
        Task.detached {
            let number = await signals.first()
            running.withLock { $0.forEach { kill(-$0, SIGKILL) } }
            atEnd.withLock { $0.forEach { $0() } }
            exit(128 + number)
        }
    }()
    private static let atEnd = Locked<[@Sendable () -> Void]>([])

    /// Ends the group of a process that others have started with this command.
    static func endWithThisCommand(_ identifier: pid_t) {
        signals
        _ = running.withLock { $0.insert(identifier) }
    }

    /// Performs work before a signal ends this command.
    static func atEnd(_ work: @escaping @Sendable () -> Void) {
        signals
        atEnd.withLock { $0.append(work) }
    }

    private let identifier: pid_t
    private let ended = DispatchSemaphore(value: 0)
    private let result = Locked<Int32>(0)

    /// Starts a program that is in the path, without standard input.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - variables: Variables in addition to those of this process.
    ///   - output: The file for what it writes; `nil` for the output of this command.
    /// - Throws: `ToolError` where it cannot be started.
    init(_ words: [String], variables: [String: String] = [:], output: URL? = nil) throws {
        Self.signals
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        process.standardInput = FileHandle.nullDevice
        if let output {
            try Data().write(to: output)
            let handle = try FileHandle(forWritingTo: output)
            (process.standardOutput, process.standardError) = (handle, handle)
        }
        process.terminationHandler = { [ended, result] process in
            let isSignal = process.terminationReason == .uncaughtSignal
            result.withLock { $0 = (isSignal ? 128 : 0) + process.terminationStatus }
            ended.signal()
        }
        do {
            try process.run()
        } catch {
            throw ToolError("\(words.first ?? "The command") cannot be run: \(error.localizedDescription)")
        }
        identifier = process.processIdentifier
        _ = Self.running.withLock { [identifier] in $0.insert(identifier) }
    }

    /// Waits for the end.
    ///
    /// - Parameter seconds: The seconds after which the program is ended, with all that it has started.
    /// - Returns: The exit status, 128 and its number after a signal; `nil` for a program that took too long.
    func status(waitingAtMost seconds: Double = .infinity) -> Int32? {
        defer { _ = Self.running.withLock { [identifier] in $0.remove(identifier) } }
        let isInTime = seconds.isInfinite || ended.wait(timeout: .now() + seconds) == .success
        if seconds.isInfinite { ended.wait() }
        guard isInTime else {
            kill(-identifier, SIGKILL)
            ended.wait()
            return nil
        }
        return result.withLock { $0 }
    }
}
