#if !os(Linux)
    import Foundation

    extension OfflineRun {
        /// The rules of the sandbox: everything but connections to other machines.
        private static let rules = """
            (version 1)(allow default)(deny network-outbound)\
            (allow network-outbound (remote unix-socket) (remote ip "localhost:*"))
            """

        /// Runs a program without a network.
        ///
        /// - Parameters:
        ///   - words: The program and its arguments.
        ///   - writesToErrors: A Boolean value that indicates whether its standard output goes to standard error.
        /// - Returns: The run; `nil` if this system cannot block network access.
        /// - Throws: `ToolError` if the program cannot be started.
        static func run(_ words: [String], writesToErrors: Bool) throws -> OfflineRun? {
            let sandbox = "/usr/bin/sandbox-exec"
            guard FileManager.default.isExecutableFile(atPath: sandbox) else { return nil }
            // A sandbox cannot be made inside another one, as in the plugin.
            guard try ChildProcess([sandbox, "-p", rules, "/usr/bin/true"]).status() == 0 else { return nil }
            let start = Date()
            let status =
                try ChildProcess([sandbox, "-p", rules] + words, writesToErrors: writesToErrors).status() ?? 128
            let attempts = try attempts(since: start)
            return OfflineRun(wall: .sandbox, namesAttempts: true, status: status, attempts: attempts)
        }

        /// Returns the attempts in the system's log: `Sandbox: curl(123) deny(1) network-outbound 93.184.216.34:443`.
        private static func attempts(since start: Date) throws -> [Attempt] {
            let directory = FileManager.default.temporaryDirectory
            let file = directory.appendingPathComponent("stubborn-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            let seconds = Int(Date().timeIntervalSince(start)) + 2
            let predicate = #"eventMessage CONTAINS "deny" AND eventMessage CONTAINS "network-outbound""#
            let log = ["/usr/bin/log", "show", "--style", "compact", "--last", "\(seconds)s", "--predicate", predicate]
            _ = try ChildProcess(log, output: file).status(waitingAtMost: 60)
            var attempts: [Attempt] = []
            for line in (try? String(contentsOf: file, encoding: .utf8))?.lines ?? [] {
                guard let start = line.range(of: "Sandbox: "), let verb = line.range(of: " network-outbound ") else {
                    continue
                }
                let address = String(line[verb.upperBound...])
                let isLookup = address.hasSuffix("mDNSResponder")
                let process = String(line[start.upperBound...].prefix { $0 != "(" })
                attempts.add(isLookup ? .lookup : .connect, isLookup ? "a name" : address, by: process)
            }
            return attempts
        }
    }
#endif
