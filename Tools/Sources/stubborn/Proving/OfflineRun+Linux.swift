#if os(Linux)
    import Foundation
    import OfflineProcess

    extension OfflineRun {
        /// Runs a program without a network.
        ///
        /// - Parameters:
        ///   - words: The program and its arguments.
        ///   - writesToErrors: A Boolean value that indicates whether its standard output goes to standard error.
        /// - Returns: The run; `nil` if this system cannot block network access.
        /// - Throws: `ToolError` if the program cannot be started.
        static func run(_ words: [String], writesToErrors: Bool) throws -> OfflineRun? {
            var (listener, hasNamespace) = (Int32(-1), Int32(0))
            let arguments = words.map { strdup($0) } + [nil]
            defer { arguments.forEach { free($0) } }
            let process = offline_start(
                arguments,
                writesToErrors ? STDERR_FILENO : STDOUT_FILENO,
                &listener,
                &hasNamespace
            )
            guard process > 0 else {
                throw ToolError("\(words[0].printable) cannot be run: \(String(cString: strerror(errno)))")
            }
            if listener < 0, hasNamespace == 0 {
                kill(-process, SIGKILL)
                waitpid(process, nil, 0)
                return nil
            }
            ChildProcess.endWithThisCommand(process)
            let witness = CallWitness(listener)
            if listener >= 0 { Thread.detachNewThread { witness.answerCalls() } }
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0 && errno == EINTR {}
            ChildProcess.waitIfEnding()
            let signal = status & 0x7F
            return OfflineRun(
                wall: hasNamespace == 1 ? .networkNamespace : .callFilter,
                namesAttempts: listener >= 0,
                status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal,
                attempts: witness.attempts
            )
        }
    }

    /// The answers to the calls of processes that try to reach another machine.
    private final class CallWitness: Sendable {
        private struct State {
            var attempts: [OfflineRun.Attempt] = []
            /// The sockets that a process believes to be connected to a name server, by process and descriptor.
            var lookups: [String: String] = [:]
        }

        private let listener: Int32
        private let state = Locked(State())

        init(_ listener: Int32) { self.listener = listener }

        var attempts: [OfflineRun.Attempt] { state.withLock { $0.attempts } }

        /// Answers until all processes have ended.
        func answerCalls() {
            var call = offline_call()
            while true {
                switch offline_receive(listener, &call) {
                case 1: answer(call)
                case 0: continue
                default: return
                }
            }
        }

        private func answer(_ call: offline_call) {
            let bytes = withUnsafeBytes(of: call.address) { Array($0.prefix(Int(call.address_length))) }
            let data = withUnsafeBytes(of: call.data) { Array($0.prefix(Int(call.data_length))) }
            let process = Self.process(of: call.thread)
            let socket = "\(process.identifier) \(call.descriptor)"
            guard let address = SocketAddress(bytes) else {
                // Data for a name server: the socket was never connected, so nothing is sent.
                let isForNameServer = state.withLock { $0.lookups[socket] != nil } && bytes.isEmpty
                guard isForNameServer, let name = nameAsked(in: data) else {
                    // A service that looks up names for other processes would do so outside the blocked network. Without the
                    // service, the process sends the query itself.
                    let path = String(decoding: bytes.dropFirst(2).prefix { $0 != 0 }, as: UTF8.self)
                    let looksUp = ["/run/systemd/resolve/", "/run/nscd/", "/var/run/nscd/"].contains {
                        path.hasPrefix($0)
                    }
                    return looksUp
                        ? offline_fail(listener, call.identifier, ECONNREFUSED)
                        : offline_continue(listener, call.identifier)
                }
                note(.lookup, name, by: process.name)
                return offline_fail(listener, call.identifier, ECONNREFUSED)
            }
            if address.port == 53, call.is_connect == 1 {
                // The message contains the name that is looked up.
                state.withLock { $0.lookups[socket] = address.description }
                return offline_return(listener, call.identifier, 0)
            }
            state.withLock { _ = $0.lookups.removeValue(forKey: socket) }
            if address.port == 53, let name = nameAsked(in: data) {
                note(.lookup, name, by: process.name)
            } else if address.isLoopback {
                return offline_continue(listener, call.identifier)
            } else {
                note(call.is_connect == 1 ? .connect : .send, address.description, by: process.name)
            }
            offline_fail(listener, call.identifier, ENETUNREACH)
        }

        private func note(_ kind: OfflineRun.Attempt.Kind, _ address: String, by process: String) {
            state.withLock { $0.attempts.add(kind, address, by: process) }
        }

        /// Returns the process of a thread, and the name of its program.
        private static func process(of thread: pid_t) -> (identifier: Int, name: String) {
            let status = (try? String(contentsOfFile: "/proc/\(thread)/status", encoding: .utf8)) ?? ""
            let group = status.lines.first { $0.hasPrefix("Tgid:") }
            let identifier = group.flatMap { Int($0.dropFirst(5).trimmingCharacters(in: .whitespaces)) } ?? Int(thread)
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(identifier)/exe")
            return (identifier, program.map { ($0 as NSString).lastPathComponent } ?? "process \(identifier)")
        }
    }
#endif
