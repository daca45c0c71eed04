// The three steps of the quickstart: recording, playing back, and asking for what was never recorded.
// Where an answer came from is not claimed but read from the network's own log.

import StubbornNetwork

/// Sends the requests through a network that records them, and prints a line for each.
func record(
    _ requests: [SampleRequest],
    in stubFile: StubbornNetworkConfiguration
) async throws -> [Answer] {
    let network = StubbornNetwork(stubFile, environment: [:])
    network.recordMode = .recording
    network.bodyEncoding = .readable
    var answers: [Answer] = []
    for request in requests {
        let answer = try await request.send(through: network.session)
        print(line(request, answer, source(of: network)))
        answers.append(answer)
    }
    try network.finishRecording()
    return answers
}

/// Sends the requests through a network that plays back, and prints a line for each.
func play(
    _ requests: [SampleRequest],
    on network: StubbornNetwork,
    comparingWith recorded: [Answer]
) async throws -> [Answer] {
    network.onUnstubbedRequest = { _ in }
    var answers: [Answer] = []
    for (request, recorded) in zip(requests, recorded) {
        let answer = try await request.send(through: network.session)
        let comparison = answer == recorded ? "the same" : "NOT the same"
        print(line(request, answer, "\(source(of: network))   \(comparison)"))
        answers.append(answer)
    }
    return answers
}

/// The text of the error that a request fails with; `nil` when it is answered.
func errorText(of url: URL, through session: URLSession) async -> String? {
    do {
        _ = try await session.data(from: url)
        return nil
    } catch {
        return error.localizedDescription
    }
}

private func source(of network: StubbornNetwork) -> String {
    switch network.exchanges.last?.outcome {
    case .recorded?, .passedThrough?: "from the server"
    case .stubbed?: "from the file"
    default: "from nowhere"
    }
}

private func line(_ request: SampleRequest, _ answer: Answer, _ remark: String) -> String {
    let name = request.name.padding(toLength: 16, withPad: " ", startingAt: 0)
    let size = "\(answer.body.count) bytes"
    let padding = String(repeating: " ", count: max(0, 10 - size.count))
    return "   \(name) \(answer.statusCode) \(padding)\(size)   \(remark)"
}

/// A text of several lines, set in.
func indented(_ text: String) -> String {
    text.split(separator: "\n").map { "   \($0)" }.joined(separator: "\n")
}
