import ArgumentParser
import Foundation

#if Proxy
    import StubbornProxy
#endif

/// The options of the commands that can be the proxy of any program.
struct ProxyOptions: ParsableArguments {
    @Flag(
        help: """
            Act as the HTTP and HTTPS proxy of any program. This needs a command that was built with the trait Proxy.
            """
    )
    var proxy = false
}

#if Proxy
    extension ProxyOptions {
        /// The number of seconds that running requests have left at the end.
        private static let grace = 10

        /// Lets programs use a proxy until SIGINT or SIGTERM comes, or until the program on the command line has ended.
        ///
        /// - Parameters:
        ///   - program: The program and its arguments; empty for none.
        ///   - port: The port, for messages.
        ///   - start: Starts the proxy.
        /// - Returns: The exit status of the program; 0 without one.
        /// - Throws: `ToolError` when there is no proxy, or no file for its certificate.
        func run(_ program: [String], port: UInt16, _ start: () async throws -> StubbornProxy) async throws -> Int32 {
            let proxy: StubbornProxy
            do {
                proxy = try await start()
            } catch {
                throw ToolError("Port \(port) cannot be used: \(error). Leave out --port to get a free one.")
            }
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent("stubborn-proxy-\(UUID())")
            defer { try? FileManager.default.removeItem(at: directory) }
            let status: Int32
            do {
                let variables = proxy.environment(certificateFile: try writeCertificates(of: proxy, in: directory))
                status = program.isEmpty ? try await wait(proxy, variables) : try await run(program, variables)
            } catch {
                await proxy.stop()
                throw error
            }
            for _ in 0..<(Self.grace * 20) where proxy.isBusy { try? await Task.sleep(for: .milliseconds(50)) }
            await proxy.stop()
            return status
        }

        /// Writes the certificate of the proxy's authority, and those that the system trusts, for hosts of `NO_PROXY`.
        private func writeCertificates(of proxy: StubbornProxy, in directory: URL) throws -> String {
            let file = directory.appendingPathComponent("ca.pem")
            var text = proxy.certificatePEM
            for path in ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"]
            {
                guard let system = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
                text += system
                break
            }
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            // No other user can read this directory.
            try ToolError.naming(directory.path, "written") {
                let manager = FileManager.default
                try manager.createDirectory(at: directory, withIntermediateDirectories: true, attributes: attributes)
            }
            try ToolError.write(Data(text.utf8), to: file.path)
            return file.path
        }

        private func wait(_ proxy: StubbornProxy, _ variables: [String: String]) async throws -> Int32 {
            let signals = EndSignals()
            try Output.write("http://127.0.0.1:\(proxy.port)")
            let words = variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.shellQuoted)" }
            try Output.write("export " + words.joined(separator: " "))
            await signals.first()
            return 0
        }

        private func run(_ program: [String], _ variables: [String: String]) async throws -> Int32 {
            let environment = ProcessInfo.processInfo.environment
            if let excluded = environment["NO_PROXY"] ?? environment["no_proxy"], !excluded.isEmpty {
                Output.say("NO_PROXY is set: the program calls \(excluded) without the proxy.")
            }
            let process = try ForegroundProcess(program, environment: environment.merging(variables) { $1 })
            let signals = EndSignals()
            let forwarding = Task {
                let number = await signals.first()
                // A terminal sends Control-C to the program too.
                guard !Task.isCancelled, number == SIGTERM || isatty(STDIN_FILENO) == 0 else { return }
                process.send(number)
            }
            defer { forwarding.cancel() }
            return await process.status()
        }
    }

    /// A program that reads from the terminal: Foundation starts programs in a separate process group, which may not read from it.
    private struct ForegroundProcess {
        private let identifier: pid_t

        /// Starts a program that is in the path.
        ///
        /// - Throws: `ToolError` when it cannot be started.
        init(_ program: [String], environment: [String: String]) throws {
            var identifier: pid_t = 0
            let arguments = program.map { strdup($0) } + [nil]
            let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
            defer { for text in arguments + variables { free(text) } }
            // A program inherits what this command ignores.
            signal(SIGPIPE, SIG_DFL)
            defer { signal(SIGPIPE, SIG_IGN) }
            // It inherits the thread's mask too, and a thread of Dispatch blocks all signals.
            var none = sigset_t()
            var mask = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, &mask)
            defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
            // A daemon that the program leaves behind would keep the port open. The program gets only standard input,
            // output and error.
            let open = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
            for descriptor in open.compactMap({ Int32($0) }) where descriptor > STDERR_FILENO {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            }
            let code = posix_spawnp(&identifier, program[0], nil, nil, arguments, variables)
            guard code == 0 else {
                throw ToolError("\(program[0]) cannot be run: \(String(cString: strerror(code)))")
            }
            self.identifier = identifier
        }

        func send(_ signal: Int32) { kill(identifier, signal) }

        /// Waits for the end, and returns the exit status; after a signal, the status that a shell reports.
        func status() async -> Int32 {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [identifier] in
                    var status: Int32 = 0
                    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
                    let signal = status & 0x7F
                    continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
                }
            }
        }
    }
#else
    extension ProxyOptions {
        /// The error of a command without the proxy.
        static let isMissing = ToolError(
            """
            This stubborn was built without the proxy, which takes minutes to build. In a clone of the package, run \
            'swift run --package-path Tools --traits Proxy stubborn', or install it with 'Tools/install --proxy PREFIX'.
            """
        )
    }
#endif
