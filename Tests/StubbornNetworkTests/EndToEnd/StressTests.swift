import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// Everything at once: nothing is lost, mixed up or told twice.
@Suite(.timeLimit(.minutes(5)))
struct StressTests {
    private enum Kind: Int, CaseIterable {
        case completion, delegate, upload, post, redirect, recorded, delayed, throttled, failing, unstubbed
    }

    /// One request, and what must come of it.
    private struct Running {
        let number: Int
        let kind: Kind
        let expected: String
        let log: ClientLog
        let session: URLSession
        let task: URLSessionTask
        var isCancelled = false

        /// What is wrong with the end; `nil` if nothing is.
        var complaint: String? {
            let end = "\(kind) \(number): \(log.calls), \(log.text.prefix(40))"
            if log.ends != 1 { return "ended \(log.ends) times, \(end)" }
            if log.errorCode == URLError.Code.cancelled.rawValue { return isCancelled ? nil : "cancelled, \(end)" }
            switch kind {
            case .failing: return log.errorCode == -1009 ? nil : "does not fail, \(end)"
            case .unstubbed: return log.errorCode != nil && log.status == nil ? nil : "was answered, \(end)"
            default: return log.errorCode == nil && log.text.contains(expected) ? nil : "no \(expected), \(end)"
            }
        }
    }

    private let directory = TemporaryDirectory()

    /// A network of 20; the even ones record what they do not know.
    private func network(_ index: Int) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "stress-\(index)", path: directory.path)!, environment: .newRun)
        network.recordMode = index.isMultiple(of: 2) ? .recordingMissing : .playback
        network.onUnstubbedRequest = { _ in }
        network.stub(.path("/now")) { .text("network \(index) \($0.url.query ?? "")") }
        network.stub(.path("/hop")) { .status(302, headers: ["Location": "/now?\($0.url.query ?? "")"]) }
        network.stub(.path("/back")) { .data($0.body ?? Data(), contentType: "text/plain") }
        network.stub(.path("/later")) { request in
            .text("network \(index) \(request.url.query ?? "")").delayed(by: .milliseconds(1 + index))
        }
        network.stub(.path("/slow")) { request in
            StubResponse.text(
                "network \(index) \(request.url.query ?? "") ".padding(toLength: 2000, withPad: ".", startingAt: 0)
            )
            .throttled(to: .init(bytesPerSecond: 50_000))
        }
        network.stub(.path("/failing"), with: .failure(URLError(.notConnectedToInternet)))
        return network
    }

    private func start(_ number: Int, on networks: [StubbornNetwork], _ server: LoopbackServer) -> Running {
        let kind = Kind.allCases[number % Kind.allCases.count]
        let index =
            switch kind {
            case .recorded: number / 10 % 10 * 2
            case .unstubbed: number / 10 % 10 * 2 + 1
            default: number / 10 % 20
            }
        let path =
            switch kind {
            case .completion, .delegate: "/now"
            case .upload, .post: "/back"
            case .redirect: "/hop"
            case .recorded: "/echo"
            case .delayed: "/later"
            case .throttled: "/slow"
            case .failing: "/failing"
            case .unstubbed: "/unstubbed"
            }
        let log = ClientLog()
        var request = URLRequest(url: server.url("\(path)?n=\(number)&"))
        let hasDelegate = kind == .delegate || kind == .throttled
        let session = hasDelegate ? networks[index].makeSession(delegate: ClientDelegate(log)) : networks[index].session
        var expected = kind == .recorded ? "?n=\(number)&" : "network \(index) n=\(number)&"
        let task: URLSessionTask
        switch kind {
        case .delegate, .throttled:
            task = session.dataTask(with: request)
        case .upload:
            expected = "body \(number)."
            request.httpMethod = "PUT"
            task = session.uploadTask(with: request, from: Data(expected.utf8)) { log.end($0, $1, $2) }
        case .post:
            expected = "body \(number)."
            request.httpMethod = "POST"
            request.httpBody = Data(expected.utf8)
            task = session.dataTask(with: request) { log.end($0, $1, $2) }
        default:
            task = session.dataTask(with: request) { log.end($0, $1, $2) }
        }
        task.resume()
        return Running(number: number, kind: kind, expected: expected, log: log, session: session, task: task)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `five hundred requests of all kinds over twenty networks end exactly once each`(seed: UInt64) async throws {
        let server = try LoopbackServer()
        let networks = (0..<20).map(network)
        var generator = Generator(seed: seed)
        var running: [Running] = []
        var lateCount = 0
        let lateCancels = Lock(0)
        for number in 0..<500 {
            var one = start(number, on: networks, server)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                one.isCancelled = true
                one.task.cancel()
            case 1, 2:
                one.isCancelled = true
                let task = one.task
                let delay = DispatchTimeInterval.microseconds(Int.random(in: 0..<20_000, using: &generator))
                lateCount += 1
                DispatchQueue.global().asyncAfter(deadline: .now() + delay) {
                    task.cancel()
                    lateCancels.withLock { $0 += 1 }
                }
            default: break
            }
            running.append(one)
        }
        try await eventually { running.allSatisfy { $0.log.ends > 0 } }
        // A second end would come of a cancellation after the first one, or out of a session that has more to say.
        try await eventually { lateCancels.withLock { $0 } == lateCount }
        for network in networks { try await network.answerOneMoreRequest(on: network.session) }
        for one in running where one.session.delegate != nil {
            one.session.finishTasksAndInvalidate()
            try await eventually { one.log.calls.last == "invalid" }
        }
        #expect(running.compactMap(\.complaint) == [])
        #expect(running.filter { $0.log.errorCode != -999 }.count > 300)
        for network in networks { try network.finishRecording() }
    }

    /// In small numbers: many cancelled async calls can bring Foundation on Linux to a deadlock of its own.
    @Test func `async calls that are cancelled now and then each end exactly once`() async throws {
        let server = try LoopbackServer()
        let networks = (0..<4).map(network)
        let logs = (0..<24).map { _ in ClientLog() }
        let tasks = logs.indices.map { number in
            let session = networks[number % 4].session
            let url = server.url("\(["/now", "/later", "/hop"][number % 3])?n=\(number)&")
            let log = logs[number]
            return Task {
                do {
                    let (data, response) = try await session.data(from: url)
                    log.end(data, response, nil)
                } catch {
                    log.end(error)
                }
            }
        }
        for number in [4, 13] { tasks[number].cancel() }
        try await eventually { logs.allSatisfy { $0.ends > 0 } }
        #expect(logs.map(\.ends) == logs.map { _ in 1 })
        for (number, log) in logs.enumerated() where log.errorCode == nil {
            #expect(log.text == "network \(number % 4) n=\(number)&")
        }
        #expect(logs.enumerated().allSatisfy { $1.errorCode == nil || [4, 13].contains($0) })
    }
}
