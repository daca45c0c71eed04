import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// A server that a case can be run against and that can be stopped then.
protocol StoppableServer: Sendable {
    func url(_ pathAndQuery: String) -> URL
    func stop()
}

extension LoopbackServer: StoppableServer {}

/// How a client makes its task, and how it is told what came of it.
enum ClientStyle: String, CaseIterable, Sendable {
    case completion, delegate, async, asyncWithDelegate
    case uploadData, uploadFile, uploadDataByDelegate, uploadFileByDelegate, uploadStream, uploadAsync, uploadFileAsync
    case uploadAsyncWithDelegate

    /// A Boolean value that indicates whether the delegate is the task's own.
    var hasOwnDelegate: Bool { self == .asyncWithDelegate || self == .uploadAsyncWithDelegate }

    static let dataTasks: [ClientStyle] = [.completion, .delegate, .async, .asyncWithDelegate]
    static let uploads: [ClientStyle] = allCases.filter { !dataTasks.contains($0) }
}

/// One row of a table: a request, who makes it, and what the client must have seen in both runs.
struct ClientCase: Sendable, CustomTestStringConvertible {
    var name: String
    var style = ClientStyle.completion
    /// The request, made new for each run: a body stream can be read only once.
    var request: @Sendable (any StoppableServer) -> URLRequest
    /// The body of an upload.
    var upload = Data()
    /// The behavior of the session's delegate, or with `asyncWithDelegate` and `uploadAsyncWithDelegate` of the task's.
    ///
    /// In the styles that need no delegate, the session has one only if a behavior is given.
    var behaviour: ClientDelegate.Behaviour?
    var configure: @Sendable (URLSessionConfiguration) -> Void = { _ in }
    /// Puts ada's password for the realm `test` into the session's credential storage.
    var storesCredentials = false
    /// Facts of the live run, by name; an empty text for a fact that must not be there.
    var expecting: [String: String] = [:]
    /// The log of the delegate; a new one for each run by default.
    var log: ClientLog?
    /// Facts that may differ between the runs.
    var mayDiffer: Set<String> = []

    var testDescription: String { "\(name), \(style.rawValue)" }

    init(
        _ name: String,
        _ style: ClientStyle = .completion,
        path: String,
        method: String = "GET",
        body: String? = nil,
        headers: [String: String] = [:],
        behaviour: ClientDelegate.Behaviour? = nil,
        expecting: [String: String] = [:]
    ) {
        self.name = name
        self.style = style
        self.behaviour = behaviour
        self.expecting = expecting
        upload = Data((body ?? "").utf8)
        let isUpload = ClientStyle.uploads.contains(style)
        request = { server in
            var request = URLRequest(url: server.url(path))
            request.httpMethod = method
            if let body, !isUpload { request.httpBody = Data(body.utf8) }
            for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
            return request
        }
    }

    /// The same with something changed, which reads as a sentence in a table.
    func with(_ change: (inout ClientCase) -> Void) -> ClientCase {
        var changed = self
        change(&changed)
        return changed
    }
}

/// Runs cases live, recorded, and then played back.
struct LiveAndPlayed {
    let directory = TemporaryDirectory()
    var stubFile = "case"
    /// Changes each network before its session is made.
    var prepare: @Sendable (StubbornNetwork) -> Void = { _ in }

    func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: stubFile, path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.redaction = .none
        network.onUnstubbedRequest = { _ in }
        prepare(network)
        return network
    }

    /// Runs a case against a server and records it.
    func record(_ clientCase: ClientCase, at server: any StoppableServer) async throws -> Seen {
        let network = network(.recording)
        let seen = try await see(clientCase, of: network, at: server)
        try network.finishRecording()
        return seen
    }

    /// Runs a case against what was recorded; the server has been stopped by now.
    ///
    /// With `loadsStubs`, the stub file is read before the first request, which is then answered in another way.
    func play(
        _ clientCase: ClientCase,
        at server: any StoppableServer,
        loadsStubs: Bool = false
    ) async throws -> Seen {
        let network = network(.playback)
        if loadsStubs { try network.loadStubs() }
        return try await see(clientCase, of: network, at: server)
    }

    /// Records a case, stops the server, plays it back in both ways, and compares.
    func compare(_ clientCase: ClientCase, at server: LoopbackServer) async throws {
        let live = try await record(clientCase, at: server)
        server.stop()
        let connections = server.connectionCount
        for loadsStubs in [false, true] {
            let played = try await play(clientCase, at: server, loadsStubs: loadsStubs)
            #expect(server.connectionCount == connections, "playback reached the server")
            Self.expect(clientCase, live: live, played: played)
        }
    }

    /// What a row promises: the facts it names, one end, and no difference between the runs.
    static func expect(_ clientCase: ClientCase, live: Seen, played: Seen) {
        let name = clientCase.testDescription
        #expect(live["ends"] == "1", "\(name): the task ends exactly once")
        for (fact, value) in clientCase.expecting.sorted(by: { $0.key < $1.key }) {
            #expect((live[fact] ?? "") == value, "\(name): \(fact), live; \(live["error"] ?? "no error")")
        }
        let differences = live.differences(to: played).filter { line in
            !clientCase.mayDiffer.contains { line.hasPrefix("\($0): ") }
        }
        #expect(differences == [], "\(name)")
        if live["field content-encoding"] != nil {
            #expect(played["field content-encoding"] == nil)
            let length = played["field content-length"]
            #expect(length == nil || length == "\(played.body.count)")
        }
    }

    /// Runs a case as it would be without this library.
    func bare(_ clientCase: ClientCase, at server: any StoppableServer) async throws -> Seen {
        try await see(clientCase, at: server) { URLSession(configuration: $0, delegate: $1, delegateQueue: nil) }
    }

    /// Runs a case on a network.
    func see(
        _ clientCase: ClientCase,
        of network: StubbornNetwork,
        at server: any StoppableServer
    ) async throws -> Seen {
        try await see(clientCase, at: server) { network.makeSession(configuration: $0, delegate: $1) }
    }

    /// Makes the case's task, and waits for its end for a bounded time.
    private func see(
        _ clientCase: ClientCase,
        at server: any StoppableServer,
        on makeSession: (URLSessionConfiguration, ClientDelegate?) -> URLSession
    ) async throws -> Seen {
        let configuration = URLSessionConfiguration.ephemeral
        clientCase.configure(configuration)
        let request = clientCase.request(server)
        if clientCase.storesCredentials { storeCredentials(for: request, in: configuration) }
        let log = clientCase.log ?? ClientLog()
        let delegate = ClientDelegate(log, clientCase.behaviour ?? ClientDelegate.Behaviour())
        let isTold = [.delegate, .uploadDataByDelegate, .uploadFileByDelegate, .uploadStream].contains(clientCase.style)
        let isAsked = clientCase.behaviour != nil && !clientCase.style.hasOwnDelegate
        let session = makeSession(configuration, isTold || isAsked ? delegate : nil)
        let task = try start(clientCase, request, on: session, delegate: delegate)
        task?.resume()
        try await eventually { log.ends > 0 }
        // Foundation ends a task after its completion handler has returned.
        if let task { _ = try await comesToHold { task.state != .running } }
        if clientCase.style.hasOwnDelegate { try await order(log, by: session.delegateQueue) }
        let seen = log.seen(task: task, session: session, url: request.url)
        session.finishTasksAndInvalidate()
        return seen
    }

    /// An async call returns on its own, maybe before its delegate is called: lets the delegate come first.
    private func order(_ log: ClientLog, by delegateQueue: OperationQueue) async throws {
        let drained = ClientLog()
        delegateQueue.addOperation { drained.end(nil) }
        try await eventually { drained.ends > 0 }
        log.moveEndToEnd()
    }

    private func storeCredentials(for request: URLRequest, in configuration: URLSessionConfiguration) {
        guard let host = request.url?.host, let port = request.url?.port else { return }
        let space = URLProtectionSpace(
            host: host,
            port: port,
            protocol: "http",
            realm: "test",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        configuration.urlCredentialStorage?.setDefaultCredential(
            URLCredential(user: "ada", password: "secret", persistence: .forSession),
            for: space
        )
    }

    private func start(
        _ clientCase: ClientCase,
        _ request: URLRequest,
        on session: URLSession,
        delegate: ClientDelegate
    ) throws -> URLSessionTask? {
        let log = delegate.log
        let body = clientCase.upload
        let file = directory.file("upload")
        if [.uploadFile, .uploadFileByDelegate, .uploadFileAsync].contains(clientCase.style) {
            try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
            try body.write(to: file)
        }
        switch clientCase.style {
        case .completion: return session.dataTask(with: request) { log.end($0, $1, $2) }
        case .delegate: return session.dataTask(with: request)
        case .uploadData: return session.uploadTask(with: request, from: body) { log.end($0, $1, $2) }
        case .uploadFile: return session.uploadTask(with: request, fromFile: file) { log.end($0, $1, $2) }
        case .uploadDataByDelegate: return session.uploadTask(with: request, from: body)
        case .uploadFileByDelegate: return session.uploadTask(with: request, fromFile: file)
        case .uploadStream: return session.uploadTask(withStreamedRequest: request)
        case .async: wait(log) { try await session.data(for: request) }
        case .asyncWithDelegate: wait(log) { try await session.data(for: request, delegate: delegate) }
        case .uploadAsync: wait(log) { try await session.upload(for: request, from: body) }
        case .uploadAsyncWithDelegate:
            wait(log) { try await session.upload(for: request, from: body, delegate: delegate) }
        case .uploadFileAsync: wait(log) { try await session.upload(for: request, fromFile: file) }
        }
        return nil
    }

    private func wait(_ log: ClientLog, _ call: @escaping @Sendable () async throws -> (Data, URLResponse)) {
        Task {
            do {
                let (data, response) = try await call()
                log.end(data, response, nil)
            } catch {
                log.end(nil, nil, error)
            }
        }
    }
}
