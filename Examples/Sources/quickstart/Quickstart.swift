// `swift run --package-path Examples quickstart`: the whole idea in one command. A real HTTP server answers a few
// requests, which are recorded into a stub file; the server is stopped; the same requests are answered from the file.
// It fails, with exit code 1, if anything is not as it says.

import ArgumentParser
import ExampleServer
import StubbornNetwork

@main
struct Quickstart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quickstart",
        abstract: "Records what a real HTTP server says, stops the server, and plays everything back."
    )

    @Option(help: "Where to keep the stub file; a new temporary directory by default.")
    var directory: String?

    func run() async throws {
        let directory = directory.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? temporaryDirectory
        guard let stubFile = StubbornNetworkConfiguration.persistent(name: "Quickstart", path: directory.path) else {
            throw ValidationError("--directory names no directory.")
        }
        var checks = Checks()

        let (server, requests, recorded) = try await ExampleServer.run { server in
            print("1. Recording from a real server, \(server.url.absoluteString)\n")
            let requests = SampleRequest.all(to: server.url)
            return (server, requests, try await record(requests, in: stubFile))
        }
        let requestCount = await server.requestCount
        print("\n   \(requestCount) requests reached the server. Now it is stopped.\n")

        print("2. The same requests again, without the server\n")
        let network = StubbornNetwork(stubFile, environment: [:])
        let played = try await play(requests, on: network, comparingWith: recorded)
        checks.expect(played == recorded, "what was played back differs from what was recorded")
        checks.expect(network.exchanges.allSatisfy { $0.outcome == .stubbed }, "a request was not answered by a stub")
        checks.expect(network.unusedStubs.isEmpty, "a stub was never asked for")

        let requestCountSince = await server.requestCount - requestCount
        let failure = await errorText(of: server.url, through: .shared)
        print("\n   \(requestCountSince) requests reached the server. Asked without stubs, it is not there:")
        print(indented(failure ?? "It answered."))
        checks.expect(requestCountSince == 0 && failure != nil, "the server is still there")

        print("\n3. A request that was never recorded\n")
        let message = await errorText(of: server.url.appendingPathComponent("authors"), through: network.session)
        print(indented(message ?? "It was answered."))
        checks.expect(message != nil, "a request that was never recorded was answered")

        try checks.report()
        let file = directory.appendingPathComponent("Quickstart.json")
        print("\nAll as promised. The recording, which you can read and commit, is\n\(file.path)")
    }

    private var temporaryDirectory: URL {
        let name = "stubborn-quickstart-\(UUID().uuidString.prefix(8))"
        return FileManager.default.temporaryDirectory.appendingPathComponent(name)
    }
}
