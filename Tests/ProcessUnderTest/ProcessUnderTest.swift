import Foundation
import StubbornNetwork

/// A process that asks for URLs through the network that its environment describes, and says what came.
///
///     process-under-test COUNT AT-A-TIME http://127.0.0.1:8080/bytes/
///
/// It asks for `…/1` to `…/COUNT`, or, where `POSTS` is set, sends each number in a POST to the URL itself. It writes a line
/// to standard output for each that has ended: the number, and the body's length or `failed`. Where
/// `CANCELS` is set, it cancels each request that is being recorded, and takes long to store it. Where `FULL_DISK_AT`
/// names one of the numbers, the disk is full while that one is asked for. Where `STAYS` is set, the process stays until it
/// is killed.
///
/// Where `FRAMES` is set, it receives as many messages of a web socket at that URL instead, whose server it declares.
///
/// Where `TESTS` is set, a network of its own asks for each number, after `…/0`, and ends its recording, as the tests of a
/// suite do. `HANGS` is a URL that is asked for last, and not waited for. `ENDS` is the way in which the process ends.
@main
enum ProcessUnderTest {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let count = Int(arguments[1]), let width = Int(arguments[2]) else { exit(64) }
        if ProcessInfo.processInfo.environment["FRAMES"] != nil { await receiveMessages(count, arguments[3]) }
        let session = StubbornNetwork.standard.session
        let cancels = ProcessInfo.processInfo.environment["CANCELS"] != nil
        if cancels { StubbornNetwork.standard.bodyDataProcessor = SlowProcessor() }
        let full = ProcessInfo.processInfo.environment["FULL_DISK_AT"].flatMap { Int($0) }
        let hasTests = ProcessInfo.processInfo.environment["TESTS"] != nil
        for number in hasTests ? Array(1...max(count, 1)) : [] { await test(number, arguments[3]) }
        await withTaskGroup(of: Void.self) { group in
            for number in hasTests ? [] : Array(1...max(count, 1)) {
                if number > width { await group.next() }
                guard let request = request(number, arguments[3]) else { exit(64) }
                group.addTask {
                    if number == full { limitFiles(to: journalByteCount.map { $0 + 100 } ?? 10) }
                    let byteCount = await byteCount(of: request, from: session, cancels: cancels)
                    if number == full { limitFiles(to: nil) }
                    say("\(number) \(byteCount.map(String.init) ?? "failed")")
                }
            }
        }
        if let url = ProcessInfo.processInfo.environment["HANGS"].flatMap({ URL(string: $0) }) { hang(url) }
        while ProcessInfo.processInfo.environment["STAYS"] != nil { sleep(60) }
        end(ProcessInfo.processInfo.environment["ENDS"] ?? "exit")
    }

    /// Asks for a number as a test of a suite does that shares its stub file.
    private static func test(_ number: Int, _ address: String) async {
        let network = StubbornNetwork(.environment)
        for number in [0, number] {
            guard let request = request(number, address) else { exit(64) }
            let byteCount = await byteCount(of: request, from: network.session, cancels: false)
            say("\(number) \(byteCount.map(String.init) ?? "failed")")
        }
        do { try network.finishRecording() } catch { say("\(error)") }
        if ProcessInfo.processInfo.environment["FORKS"] != nil { forkAndExit() }
    }

    /// Receives the numbers from 1 to `count` from a server, and exits.
    private static func receiveMessages(_ count: Int, _ address: String) async {
        guard let url = URL(string: address) else { exit(64) }
        let server = StubbornNetwork(.ephemeral, environment: [:])
        server.stub(webSocket: .any) { socket in
            for number in 1...count { socket.send(.string("\(number)")) }
            for await _ in socket.messages {}
        }
        let socket = StubbornNetwork.standard.webSocket(with: URLRequest(url: url)) { server.webSocket(with: $0) }
        for _ in 1...count {
            guard case .string(let text)? = try? await socket.receive() else { exit(70) }
            say("\(text) \(text.utf8.count)")
        }
        end(ProcessInfo.processInfo.environment["ENDS"] ?? "exit")
    }

    /// Sends a request, and returns when something of its response has arrived.
    private static func hang(_ url: URL) {
        let network = StubbornNetwork.standard
        network.session.dataTask(with: url).resume()
        while !network.exchanges.contains(where: { $0.request.url == url && $0.decision == .recorded }) {
            usleep(1_000)
        }
    }

    /// Ends the process in one of many ways.
    private static func end(_ way: String) -> Never {
        switch way {
        case "exit": exit(0)
        case "status": exit(3)
        case "queue":
            DispatchQueue.global().async { exit(0) }
            while true { sleep(60) }
        case "thread":
            Thread.detachNewThread { exit(0) }
            while true { sleep(60) }
        case "fork":
            forkAndExit()
            exit(0)
        case "_exit": _exit(0)
        case "abort": abort()
        case "trap": preconditionFailure("The process ends by a trap, as it was told to.")
        default:
            kill(getpid(), Int32(way) ?? SIGKILL)
            while true { sleep(60) }
        }
    }

    /// Makes a child that exits at once, and waits for it.
    private static func forkAndExit() {
        // Swift refuses to call `fork()`, but libraries that are not in Swift do it.
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else { exit(71) }
        let child = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
        if child == 0 { exit(0) }
        var status: Int32 = 0
        waitpid(child, &status, 0)
    }

    /// Returns the request with a number; `nil` for a string that is not a URL.
    private static func request(_ number: Int, _ address: String) -> URLRequest? {
        guard ProcessInfo.processInfo.environment["POSTS"] != nil else {
            return URL(string: address + String(number)).map { URLRequest(url: $0) }
        }
        guard let url = URL(string: address) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data(String(number).utf8)
        return request
    }

    /// Returns the number of bytes of a response, or `nil` if loading fails.
    ///
    /// An executable is built for the oldest macOS, where `data(from:)` does not exist.
    private static func byteCount(of request: URLRequest, from session: URLSession, cancels: Bool) async -> Int? {
        await withCheckedContinuation { continuation in
            let task = session.dataTask(with: request) { data, _, error in
                continuation.resume(returning: error == nil ? data?.count : nil)
            }
            task.resume()
            guard cancels else { return }
            // The request has not been decided on before it is in the log.
            while !StubbornNetwork.standard.exchanges.contains(where: { $0.decision == .recorded }) { usleep(1_000) }
            task.cancel()
        }
    }

    /// Writes a line at once and whole: the process may be killed the moment after.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }

    /// The size of the journal; `nil` if no recording is in one.
    private static var journalByteCount: Int? {
        let directory = URL(fileURLWithPath: ProcessInfo.processInfo.environment["STUB_PATH"] ?? ".")
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: directory.path)) ?? []
        let sizes = names.filter { $0.hasSuffix(".journal") && !$0.hasSuffix(".base.journal") }.compactMap { name in
            try? Data(contentsOf: directory.appendingPathComponent(name)).count
        }
        return sizes.max()
    }

    /// Lets no file grow beyond a size, as on a disk that is full; `nil` for any size.
    private static func limitFiles(to byteCount: Int?) {
        // The system would end the process otherwise.
        signal(SIGXFSZ, SIG_IGN)
        #if canImport(Darwin)
            let resource = RLIMIT_FSIZE
        #else
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { exit(71) }
        limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
        guard setrlimit(resource, &limit) == 0 else { exit(71) }
    }
}

/// A processor that takes longer to store a response than a process to exit.
private struct SlowProcessor: BodyDataProcessor {
    func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data? {
        Thread.sleep(forTimeInterval: 0.5)
        return data
    }
}
