import Foundation
import StubbornNetwork

/// What a client can tell of one exchange, each fact under its name: `"status": "200"`, `"field Etag": "\"v1\""`.
///
/// Text throughout, so that a difference reads as a sentence and an expectation is a literal.
struct Seen: Sendable {
    var facts: [String: String] = [:]
    var body = Data()

    subscript(name: String) -> String? { facts[name] }

    init(_ log: ClientLog.State, task: URLSessionTask?, session: URLSession, url: URL?) {
        body = log.body
        facts["calls"] = log.calls.joined(separator: " ")
        facts["ends"] = "\(log.ends)"
        facts["body"] = Self.summary(of: log.body)
        if let response = log.response { add(response) }
        if let error = log.error { add(error, as: "") }
        if let task {
            facts["task.status"] = task.response?.status.map { "\($0)" }
            facts["task.received"] = "\(task.countOfBytesReceived)"
            facts["task.state"] = "\(task.state.rawValue)"
            facts["task.url"] = task.response?.url?.absoluteString
            if let error = task.error { add(error, as: "task.") }
        }
        let cookies = url.flatMap { session.configuration.httpCookieStorage?.cookies(for: $0) } ?? []
        if !cookies.isEmpty {
            facts["cookies"] = cookies.map { "\($0.name)=\($0.value); path=\($0.path); domain=\($0.domain)" }.sorted()
                .joined(separator: ", ")
        }
    }

    private mutating func add(_ response: URLResponse) {
        facts["url"] = response.url?.absoluteString
        facts["MIME type"] = response.mimeType
        facts["text encoding"] = response.textEncodingName
        facts["expected length"] = "\(response.expectedContentLength)"
        facts["suggested filename"] = response.suggestedFilename
        guard let response = response as? HTTPURLResponse else { return }
        facts["status"] = "\(response.statusCode)"
        for case (let name as String, let value as String) in response.allHeaderFields {
            facts["field \(name.lowercased())"] = value
        }
    }

    private mutating func add(_ error: any Error, as prefix: String) {
        let bridged = error as NSError
        facts["\(prefix)error"] = "\(bridged.domain) \(bridged.code)"
        facts["\(prefix)is URLError"] = "\(error is URLError)"
        facts["\(prefix)failing URL"] = (error as? URLError)?.failingURL?.absoluteString
    }

    /// `5 bytes cbf2…: hello`, long bodies cut.
    static func summary(of body: Data) -> String {
        let text = String(data: body.prefix(200), encoding: .utf8) ?? "binary"
        return "\(body.count) bytes \(body.hashValueOfBytes): \(text)"
    }

    /// What differs between two runs, a line for each fact: `status: live 200, played 404`.
    ///
    /// Left out is what playback has to correct: the transfer coding, and for a body that went over the wire encoded, the
    /// fields that describe the wire.
    func differences(to played: Seen) -> [String] {
        var corrected: Set<String> = ["field transfer-encoding"]
        if facts["field content-encoding"] != nil {
            corrected.formUnion(["field content-encoding", "field content-length", "expected length"])
        }
        return Set(facts.keys).union(played.facts.keys).subtracting(corrected).sorted().compactMap { name in
            guard facts[name] != played.facts[name] else { return nil }
            return "\(name): live \(facts[name] ?? "nothing"), played \(played.facts[name] ?? "nothing")"
        }
    }
}

extension Data {
    /// FNV-1a, to distinguish long bodies.
    fileprivate var hashValueOfBytes: String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        withUnsafeBytes { bytes in
            // Not `reduce`: the bodies are long, and the build is a debug build.
            var index = 0
            while index < bytes.count {
                hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3
                index += 1
            }
        }
        return String(hash, radix: 16)
    }
}
