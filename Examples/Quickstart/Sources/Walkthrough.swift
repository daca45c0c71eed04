// The three steps of the quickstart: recording, playing back, and sending a request that was never recorded. The source
// of each answer is read from the network's log.

import Foundation
import StubbornNetwork

struct Walkthrough {
    /// The stub directory; the stub file in it is replaced.
    let directory: URL

    /// Prints what happens.
    ///
    /// - Throws: `BrokenPromises` if a promise was broken.
    func run() async throws {
        var promises = Promises()

        let server = try Server(SampleRequest.response)
        print("1. Recording from a real server, \(server.url.absoluteString)\n")
        let recorded = try await record(from: server)
        server.stop()
        let requestCount = server.requestCount
        print("\n   \(requestCount) requests reached the server, one of them after a redirect. Now it is stopped.\n")
        promises.check(
            requestCount == recorded.count + 1,
            "Each request, and a redirect, should have reached the server."
        )

        print("2. The same requests again, without the server\n")
        let network = network()
        let played = try await play(on: network, insteadOf: server, comparingWith: recorded)
        let requestCountSince = server.requestCount - requestCount
        let failure = await error(of: server.url, through: .shared)
        print("\n   \(requestCountSince) requests reached the server. Asked without stubs, it is not there:")
        print(indented(failure?.localizedDescription ?? "It answered."))
        promises.check(played == recorded, "What was played back should be what was recorded.")
        promises.check(
            network.exchanges.allSatisfy { $0.outcome == .stubbed },
            "Stubs should have answered everything."
        )
        promises.check(network.unusedStubs.isEmpty, "Each stub should have been asked for.")
        promises.check(requestCountSince == 0 && failure != nil, "The server should be gone.")

        print("\n3. A request that was never recorded\n")
        let refusal = await error(of: server.url.appendingPathComponent("authors"), through: network.session)
        print(indented(refusal?.localizedDescription ?? "It was answered."))
        let code = refusal.flatMap(StubbornNetworkError.init)?.code
        promises.check(code == .unstubbedRequest, "A request that was never recorded should be refused.")

        try promises.verify()
        let file = directory.appendingPathComponent("Quickstart.json")
        print("\nAll as promised. The recording, which you can read and commit, is\n\(file.path)")
    }

    /// A network that keeps its stubs in the stub file, whatever the shell's environment says.
    private func network() -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(named: "Quickstart", in: directory.path), environment: [:])
        network.bodyEncoding = .readable
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private func record(from server: Server) async throws -> [Answer] {
        // The server has a different port each time, so no earlier recording is requested again.
        try? FileManager.default.removeItem(at: directory.appendingPathComponent("Quickstart.json"))
        let network = network()
        network.recordMode = .recording
        var answers: [Answer] = []
        for request in SampleRequest.all(to: server.url) {
            let answer = try await request.send(through: network.session)
            print(line(request, answer, source(of: network)))
            answers.append(answer)
        }
        try network.finishRecording()
        return answers
    }

    private func play(
        on network: StubbornNetwork,
        insteadOf server: Server,
        comparingWith recorded: [Answer]
    ) async throws -> [Answer] {
        var answers: [Answer] = []
        for (request, recorded) in zip(SampleRequest.all(to: server.url), recorded) {
            let answer = try await request.send(through: network.session)
            let comparison = answer == recorded ? "the same" : "NOT the same"
            print(line(request, answer, "\(source(of: network))   \(comparison)"))
            answers.append(answer)
        }
        return answers
    }
}

/// The source of the network's last answer.
private func source(of network: StubbornNetwork) -> String {
    switch network.exchanges.last?.outcome {
    case .recorded?, .passedThrough?: "from the server"
    case .stubbed?: "from the file"
    default: "from nowhere"
    }
}

/// The error that a request fails with; `nil` when it is answered.
private func error(of url: URL, through session: URLSession) async -> (any Error)? {
    do {
        _ = try await session.data(from: url)
        return nil
    } catch {
        return error
    }
}

private func line(_ request: SampleRequest, _ answer: Answer, _ remark: String) -> String {
    let name = request.name.padding(toLength: 16, withPad: " ", startingAt: 0)
    let size = "\(answer.body.count) bytes"
    let padding = String(repeating: " ", count: max(0, 10 - size.count))
    return "   \(name) \(answer.statusCode) \(padding)\(size)   \(remark)"
}

private func indented(_ text: String) -> String {
    text.split(separator: "\n").map { "   \($0)" }.joined(separator: "\n")
}
