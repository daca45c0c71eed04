import Foundation
import Testing

/// `stubborn offline`: what tries to reach another machine.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Tool.runsOffline)) struct OfflineTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func offline(_ script: String, _ options: String...) throws -> Tool.Result {
        try directory.write(script, to: "tests.sh")
        return try Tool.run(["offline"] + options + ["--", "sh", "tests.sh"], in: directory.url)
    }

    #if os(Linux)
        @Test func `each way to open a socket is named, with the program and the address`() throws {
            let result = try offline(
                """
                curl --silent --max-time 5 http://192.0.2.1:81/ && exit 9
                curl --silent --max-time 5 'http://[2001:db8::1]/' && exit 9
                (curl --silent --max-time 5 http://shop.example.com/) && exit 9
                curl --silent --max-time 5 --unix-socket no.sock http://192.0.2.9/ && exit 9
                bash -c 'echo hello > /dev/udp/192.0.2.7/99' 2> /dev/null && exit 9
                exit 0
                """
            )
            #expect(result.status == 1, "\(result.errors)")
            let lines = result.output.split(separator: "\n").map { $0.replacing(#/ \(.*/#, with: "") }
            #expect(
                lines == [
                    "curl: connect to 192.0.2.1:81", "curl: connect to [2001:db8::1]:80",
                    "curl: look up shop.example.com", "bash: connect to 192.0.2.7:99",
                ]
            )
        }
    #endif

    #if os(Linux)
        @Test func `the wall that is named is the one that is there`() throws {
            struct Report: Decodable { let wall: String }
            let result = try offline("readlink /proc/self/ns/net > namespace", "--format", "json")
            let wall = try JSONDecoder().decode(Report.self, from: result.outputData).wall
            let outside = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
            #expect(try (directory.text("namespace") != "\(outside)\n") == (wall == "network-namespace"))
        }
    #endif

    @Test func `the loopback interface works`() throws {
        try directory.write(Recorded.file(Recorded.stub("/a", json: "1")), to: "A.json")
        let tool = Tool.executable.path
        let result = try offline(
            """
            '\(tool)' serve A.json > url 2> /dev/null &
            server=$!
            for attempt in $(seq 500); do [ -s url ] && break; sleep 0.02; done
            curl --silent --noproxy '*' $(cat url)/a > answer
            kill $server
            grep -q 1 answer
            """
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.isEmpty)
        #expect(result.errors.hasSuffix("nothing tried to reach another machine.\n"))
    }

    @Test func `programs get the attempts as JSON`() throws {
        struct Report: Decodable {
            struct Attempt: Decodable {
                let process: String
                let kind: String
                let address: String
                let count: Int
            }
            let wall: String
            let attempts: [Attempt]
            let exitStatus: Int32
        }
        let result = try offline("curl --silent --max-time 5 http://192.0.2.1/; exit 5", "--format", "json")
        let report = try JSONDecoder().decode(Report.self, from: result.outputData)
        #expect(["network-namespace", "call-filter", "sandbox"].contains(report.wall))
        #expect(report.attempts.map(\.process) == ["curl"])
        #expect(report.attempts.map(\.kind) == ["connect"])
        #expect(report.attempts.map(\.address) == ["192.0.2.1:80"])
        #expect(report.exitStatus == 5)
        #expect(result.status == 1)
    }

    @Test func `what the command writes is not mixed with the JSON`() throws {
        struct Report: Decodable { let exitStatus: Int32 }
        let result = try offline("echo '{}'; echo hello >&2", "--format", "json")
        #expect(try JSONDecoder().decode(Report.self, from: result.outputData).exitStatus == 0)
        #expect(result.errors.hasPrefix("{}\nhello\n"))
        #expect(try offline("echo hello").output == "hello\n")
    }

    @Test func `a command that fails without such an attempt is an error`() throws {
        let result = try offline("exit 5")
        #expect(result.status == 2)
        #expect(result.errors.contains("error: sh ended with the exit status 5."))
    }
}

extension Tool {
    /// A Boolean value that indicates whether this system keeps a program from the network, as a container may not.
    static let runsOffline: Bool = {
        let directory = FileManager.default.temporaryDirectory
        return isInstalled("curl") && (try? run(["offline", "--", "true"], in: directory).status) == 0
    }()
}
