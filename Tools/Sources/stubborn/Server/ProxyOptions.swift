import ArgumentParser
import Foundation
@_spi(Tools) import StubbornNetwork

#if Proxy
    import StubbornProxy
#endif

/// The options of the commands that can be the proxy of any program.
struct ProxyOptions: ParsableArguments {
    @Flag(
        help: """
            Be the HTTP and HTTPS proxy of any program. This needs a command that was built with the trait Proxy.
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
            let manager = FileManager.default
            do {
                try manager.createDirectory(
                    at: directory,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            } catch {
                throw ToolError("Nothing can be written in \(directory.path): \(error.localizedDescription)")
            }
            guard
                manager.createFile(atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
            else { throw ToolError("\(file.path) cannot be written.") }
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
                Output.say("NO_PROXY is set: the program asks \(excluded) without the proxy.")
            }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = program
            process.environment = environment.merging(variables) { $1 }
            let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
            process.terminationHandler = { _ in continuation.finish() }
            // A program inherits what this command ignores.
            signal(SIGPIPE, SIG_DFL)
            do {
                try process.run()
            } catch {
                throw ToolError("\(program[0]) cannot be run: \(error.localizedDescription)")
            }
            signal(SIGPIPE, SIG_IGN)
            let signals = EndSignals()
            let forwarding = Task {
                await signals.first()
                if !Task.isCancelled { process.terminate() }
            }
            for await _ in ends {}
            forwarding.cancel()
            return process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
        }
    }
#else
    extension ProxyOptions {
        /// The error of a command without the proxy.
        static let isMissing = ToolError(
            """
            This stubborn has no proxy, because it takes minutes to build. Run it in a clone of the package with \
            'swift run --package-path Tools --traits Proxy stubborn', or install it with 'Tools/install --proxy PREFIX'.
            """
        )
    }
#endif
