import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Plays recordings over HTTP on this machine.",
        discussion: """
            For clients that are not URLSession: another language, a command, a browser, an SDK with its own sessions.

              $ stubborn serve Stubs/UserList.json --port 8080
              http://127.0.0.1:8080
              $ curl http://127.0.0.1:8080/users/42
              {"id":42,"name":"Ada"}

            The first line on standard output is the server's URL. A stub that was recorded as \
            https://api.example.com/users/42 answers /users/42: the hosts of the recordings are tried one after the other. \
            A client that sends a recorded host as Host, or uses the server as its proxy for http:// URLs, gets stubs of \
            that host only. Redirects and cookies of recorded hosts are changed so that the client stays here.

            A request that no stub answers gets a 404 with the field "X-Stubborn: unmatched". Its body says why, and shows what \
            came close. A space in a query may be written as + or %20. A recorded error closes \
            the connection; a timeout leaves it open for a minute.

            With --proxy, a program that honors HTTPS_PROXY and a CA file gets the stubs under their own URLs, \
            https:// and wss:// too. Redirects and cookies are unchanged, and nothing is sent to the network:

              $ stubborn serve <stub file> --proxy -- python3 app.py

            The server ends on SIGINT (Control-C) and SIGTERM \
            with the exit status 0.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Stub files, and directories with stub files. With --proxy and after --, a program to run.",
            valueName: "path"
        )
    )
    var paths: [String] = ["."]

    /// The program after `--`: the parser allows only one array of arguments.
    private var program: [String] {
        CommandLine.arguments.firstIndex(of: "--").map { Array(CommandLine.arguments[($0 + 1)...]) } ?? []
    }

    @Option(help: "The port; 0 for a free one.")
    var port: UInt16 = 0

    @Option(help: ArgumentHelp("Play the stubs of this host only; may be repeated.", valueName: "host"))
    var host: [String] = []

    @OptionGroup var playback: PlaybackOptions
    @OptionGroup var crossOrigin: CrossOriginOptions
    @OptionGroup var proxying: ProxyOptions

    @Flag(help: "List every request on standard error, not only those that no stub answers.")
    var verbose = false

    mutating func validate() throws {
        if proxying.proxy {
            paths.removeLast(min(program.count, paths.count))
            if paths.isEmpty { paths = ["."] }
        }
        if proxying.proxy && crossOrigin.cors != nil { throw ValidationError("--proxy excludes --cors.") }
    }

    func run() async throws {
        #if !Proxy
            if proxying.proxy { throw ProxyOptions.isMissing }
        #endif
        for path in paths where path.hasSuffix(".json") && !FileManager.default.fileExists(atPath: path) {
            // The recordings of a killed process may be only in a journal, which the library adds to the file.
            try? StubbornNetwork(.stubFile(at: URL(fileURLWithPath: path)), environment: [:]).loadStubs()
        }
        var files: [URL] = []
        let failureCount = try FoundFile.forEach(in: paths) { found, _ in files.append(found.url) }
        if failureCount > 0 || files.isEmpty { throw ExitCode.impossible }
        let recordings = try ServedRecordings(files, hosts: host, configure: playback.apply)
        let hosts = recordings.origins.map(\.description).joined(separator: ", ")
        Output.say("\(counted(recordings.stubCount, "stub")) of \(hosts). Control-C ends the server.")
        let server = StubServer(recordings: recordings, matching: playback.matching, logsRequests: verbose)
        #if Proxy
            if proxying.proxy {
                let status = try await proxying.serve(server, port: port, running: program)
                if status != 0 { throw ExitCode(status) }
                return
            }
        #endif
        try await LoopbackServer(port: port, crossOrigin: crossOrigin.cors).run(answer: server.answer)
    }
}
