import Foundation

// tvOS has no processes to start.
#if !os(tvOS)
    /// A child process, started without `Foundation.Process`: on Linux that one reads beyond its buffer while it looks which
    /// files are open, and now and then ends a test run that has many.
    public final class SpawnedProcess: @unchecked Sendable {
        /// The child's process identifier.
        public let identifier: pid_t
        /// What the child writes to its standard output; `nil` if that goes nowhere.
        public let output: FileHandle?
        /// Keeps the child's standard input open.
        private let input = Pipe()
        /// Guards `status`, and says that it was set.
        private let end = NSCondition()
        private var status: Int32?

        /// Starts an executable.
        ///
        /// - Parameters:
        ///   - executable: the file to run.
        ///   - arguments: the arguments that follow its path.
        ///   - environment: all of the child's; this process's by default.
        ///   - readsOutput: a Boolean value that indicates whether `output` reads what the child writes.
        ///   - outputFile: the file that its standard output is written to, where it is not read; nowhere by default.
        ///   - errors: the file that its standard error is written to; nowhere by default.
        /// - Throws: a `POSIXError` if the child cannot be started.
        public init(
            _ executable: URL,
            _ arguments: [String],
            environment: [String: String] = ProcessInfo.processInfo.environment,
            readsOutput: Bool = false,
            outputFile: URL? = nil,
            errors: URL? = nil
        ) throws {
            let pipe = readsOutput ? Pipe() : nil
            let writing = O_WRONLY | O_CREAT | O_TRUNC
            output = pipe?.fileHandleForReading
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
            #else
                var actions = posix_spawn_file_actions_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, input.fileHandleForReading.fileDescriptor, 0)
            if let pipe {
                posix_spawn_file_actions_adddup2(&actions, pipe.fileHandleForWriting.fileDescriptor, 1)
            } else {
                posix_spawn_file_actions_addopen(&actions, 1, outputFile?.path ?? "/dev/null", writing, 0o644)
            }
            posix_spawn_file_actions_addopen(&actions, 2, errors?.path ?? "/dev/null", writing, 0o644)
            // The child has none of this process's other files: a server's port would stay open with it.
            #if canImport(Darwin)
                var attributes: posix_spawnattr_t?
                posix_spawnattr_init(&attributes)
                posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
            #else
                closeOthers(&actions)
                var attributes = posix_spawnattr_t()
                posix_spawnattr_init(&attributes)
            #endif
            defer { posix_spawnattr_destroy(&attributes) }
            var texts = ([executable.path] + arguments).map { strdup($0) } + [nil]
            var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
            defer { for text in texts + variables { free(text) } }
            var identifier: pid_t = 0
            let error = posix_spawn(&identifier, executable.path, &actions, &attributes, &texts, &variables)
            guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EINVAL) }
            self.identifier = identifier
            // At its end the reader is told, and not before.
            try pipe?.fileHandleForWriting.close()
            try input.fileHandleForReading.close()
            Thread { self.noteEnd() }.start()
        }

        /// A Boolean value that indicates whether the child has not ended yet.
        public var isRunning: Bool { end.withLock { status == nil } }

        /// Kills the child, without waiting until it has ended.
        public func kill() {
            end.withLock {
                // Its number belongs to it until its end has been asked for, and that is noted with the same lock.
                guard status == nil else { return }
                _ = Foundation.kill(identifier, SIGKILL)
            }
        }

        /// Waits for its end: its exit code, or the number of the signal that ended it, negative.
        @discardableResult
        public func wait() -> Int32 {
            end.withLock {
                while true {
                    if let status { return status }
                    end.wait()
                }
            }
        }

        /// Asks for the child's end as soon as it has ended, also if nobody waits for it: while a process has an ended child that
        /// nobody asked for, the exit tests of Swift Testing find that child, and never their own.
        private func noteEnd() {
            var information = siginfo_t()
            // The child has ended after this, and its number is still its own.
            while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
            end.withLock {
                var code: Int32 = 0
                var found = waitpid(identifier, &code, 0)
                while found == -1, errno == EINTR { found = waitpid(identifier, &code, 0) }
                let signal = code & 0x7F
                status = found == -1 ? -1 : signal == 0 ? (code >> 8) & 0xFF : -signal
                end.broadcast()
            }
        }
    }

    #if !canImport(Darwin)
        /// `posix_spawn_file_actions_addclosefrom_np(actions, 3)`, which the headers show only to GNU programs.
        private func closeOthers(_ actions: inout posix_spawn_file_actions_t) {
            typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt
            guard let function = dlsym(dlopen(nil, RTLD_NOW), "posix_spawn_file_actions_addclosefrom_np") else {
                return
            }
            _ = unsafeBitCast(function, to: CloseFrom.self)(&actions, 3)
        }
    #endif
#endif
