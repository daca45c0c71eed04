import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Records the exchanges of clients with a server.",
        discussion: """
            Clients call a server on this machine, which forwards each request and stores the exchange:

              $ stubborn record --upstream https://api.example.com --to Stubs/UserList.json --port 8080
              http://127.0.0.1:8080
              $ curl http://127.0.0.1:8080/users/42

            The stub file contains the URLs of the upstream server (https://api.example.com/users/42). Secrets are replaced \
            before anything is stored, by the rules of the directory's .stubborn.json. The command ends on SIGINT (Control-C) and \
            SIGTERM: running requests get ten seconds to end, and everything that was recorded is in the file. What was \
            recorded also survives a crash: it is added to the file when the file is next read.

            With --proxy, any program that honors HTTPS_PROXY and a CA file is recorded, with all servers that it calls:

              $ stubborn record --proxy --to <stub file> -- python3 app.py

            Its web sockets are recorded too, except messages of more than 64 MB. \
            Without a program, the command prints the variables to set. The proxy listens on this machine only, and the key \
            of its authority is in memory only. The certificates of real servers are verified.

            Without --proxy, a request is refused if its Host is neither a name of this machine nor the upstream server's. \
            Otherwise, a page in a browser could reach the upstream server by a name that it has pointed here.
            """
    )

    @Option(
        help: """
            The URL of the real server. Its path, if any, is added in front of the path of each request. \
            Not with --proxy.
            """
    )
    var upstream: String?

    @Option(help: "The stub file.")
    var to: String

    @Option(help: "The port; 0 for a free one.")
    var port: UInt16 = 0

    @Option(
        help: ArgumentHelp(
            "A name of this server that clients use, other than localhost; may be repeated.",
            valueName: "host"
        )
    )
    var host: [String] = []

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "With --proxy, a program to run. When it ends, so does the command, with its exit status.",
            valueName: "program"
        )
    )
    var program: [String] = []

    @OptionGroup var crossOrigin: CrossOriginOptions
    @OptionGroup var proxying: ProxyOptions

    @Option(
        help: ArgumentHelp(
            "With --proxy, a file with certificates of authorities of real servers, in addition to the system's.",
            valueName: "file"
        )
    )
    var upstreamCA: String?

    @Flag(help: "Answer requests from the stub file, and add the rest.")
    var add = false

    @Flag(help: "Record an existing stub file again. Stubs that no client requests are removed at the end.")
    var replace = false

    @Flag(help: "Record the times of responses, for 'stubborn serve --speed recorded'.")
    var timing = false

    @Option(help: "How bodies are stored: base64 or readable. Without it, the directory's .stubborn.json decides.")
    var bodyEncoding: BodyEncoding?

    @Flag(help: "Do not list the requests on standard error.")
    var quiet = false

    func validate() throws {
        if add && replace { throw ValidationError("--add and --replace exclude each other.") }
        if proxying.proxy {
            if upstream != nil || !host.isEmpty || crossOrigin.cors != nil {
                throw ValidationError("--proxy excludes --upstream, --host and --cors.")
            }
        } else if upstream == nil {
            throw ValidationError("Missing expected argument '--upstream <upstream>', or '--proxy'.")
        } else if upstreamCA != nil || !program.isEmpty {
            throw ValidationError("--upstream-ca, and a program after --, need --proxy.")
        }
    }

    func run() async throws {
        #if !Proxy
            if proxying.proxy { throw ProxyOptions.isMissing }
        #endif
        let url = try upstream.map(URL.init(server:))
        let file = URL(fileURLWithPath: to)
        if !add && !replace && !to.isDirectory && FileManager.default.fileExists(atPath: file.path) {
            throw ToolError("\(to) exists. Use --add to add to it, or --replace to record it again.")
        }
        // The stub file is written at the end. An error that would prevent this is reported at the beginning.
        var directory = file.deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: directory.path) { directory.deleteLastPathComponent() }
        guard FileManager.default.isWritableFile(atPath: directory.path) else {
            throw ToolError("Nothing can be written in \(directory.path). Choose a different directory with --to.")
        }
        let environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("STUB_") && !["CI", "TESTING", "THE_STUBBORN_NETWORK_UI_TESTING"].contains($0.key)
        }
        let network = StubbornNetwork(.stubFile(at: file), environment: environment)
        network.recordMode = add ? .recordingMissing : .recording
        network.recordsTiming = timing
        if let bodyEncoding { network.bodyEncoding = bodyEncoding }
        try network.loadStubs()
        let status: Int32
        do {
            status = try await record(url, through: network)
        } catch {
            try network.finishRecording()
            throw error
        }
        try network.finishRecording()
        report(on: network)
        if status != 0 { throw ExitCode(status) }
    }

    /// Records until the command is asked to end.
    ///
    /// - Returns: The exit status.
    private func record(_ url: URL?, through network: StubbornNetwork) async throws -> Int32 {
        guard let url else {
            #if Proxy
                return try await proxying.record(
                    through: network,
                    port: port,
                    trusting: upstreamCA,
                    isQuiet: quiet,
                    running: program
                )
            #else
                throw ProxyOptions.isMissing
            #endif
        }
        let proxy = RecordingProxy(to: url, through: network, hosts: host, isQuiet: quiet)
        try await LoopbackServer(port: port, crossOrigin: crossOrigin.cors)
            .run(isBusy: { proxy.isBusy }, answer: proxy.answer)
        return 0
    }

    private func report(on network: StubbornNetwork) {
        let count = network.recordedStubs.count
        guard count > 0 else { return Output.say("Nothing was recorded.") }
        Output.say("Recorded \(counted(count, "stub")) in \(to).")
        let redaction = network.redactionReport.description
        if !redaction.isEmpty { Output.say(redaction) }
    }
}
