import Foundation

/// A program in a separate process group, which ends with this command.
final class ChildProcess: Sendable {
    /// The running groups, which a signal to this command ends.
    private static let running = Locked<Set<pid_t>>([])
    /// Ends this command, and all that it has started, after a signal.
    private static let signals: Void = {
        let signals = EndSignals()
        Task.detached {
            let number = await signals.first()
            isEnding.withLock { $0 = true }
            running.withLock { $0.forEach(end(allOf:)) }
            atEnd.withLock { $0.forEach { $0() } }
            exit(128 + number)
        }
    }()
    private static let atEnd = Locked<[@Sendable () -> Void]>([])
    /// A Boolean value that indicates whether this command is ending because of a signal.
    private static let isEnding = Locked(false)

    /// If this command is ending because of a signal, waits for its end, so that nothing continues with incomplete
    /// results.
    static func waitIfEnding() {
        while isEnding.withLock({ $0 }) { sleep(1) }
    }

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
    ///   - output: The file for its output; `nil` for the output of this command.
    ///   - writesToErrors: A Boolean value that indicates whether its standard output goes to standard error.
    /// - Throws: `ToolError` if it cannot be started.
    init(
        _ words: [String],
        variables: [String: String] = [:],
        output: URL? = nil,
        writesToErrors: Bool = false
    ) throws {
        Self.signals
        Self.waitIfEnding()
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
        if writesToErrors { process.standardOutput = FileHandle.standardError }
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
        Self.waitIfEnding()
        guard isInTime else {
            Self.end(allOf: identifier)
            ended.wait()
            return nil
        }
        return result.withLock { $0 }
    }

    /// Kills a process, and all that it has started: `swift test` starts the tests in a different process group.
    private static func end(allOf identifier: pid_t) {
        let parents = Self.parents
        var processes = [identifier]
        var position = 0
        while position < processes.count {
            processes += parents.filter { $0.value == processes[position] }.keys
            position += 1
        }
        for process in processes {
            kill(-process, SIGKILL)
            kill(process, SIGKILL)
        }
    }

    /// The parents of all processes of this system.
    private static var parents: [pid_t: pid_t] {
        #if os(Linux)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            let lines = names.filter { pid_t($0) != nil }.map { name in
                // 42 (swift test) S 41 …
                let text = (try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8)) ?? ""
                return name + " " + (text.split(separator: ")").last?.dropFirst(2) ?? "")
            }
        #else
            let pipe = Pipe()
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/ps")
            process.arguments = ["-A", "-o", "pid=", "-o", "ppid="]
            process.standardOutput = pipe
            guard (try? process.run()) != nil else { return [:] }
            let lines = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).lines
        #endif
        let pairs = lines.compactMap { line -> (pid_t, pid_t)? in
            let numbers = line.split(separator: " ").prefix(2).compactMap { pid_t($0) }
            return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
