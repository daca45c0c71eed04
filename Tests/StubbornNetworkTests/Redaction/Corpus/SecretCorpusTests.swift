import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// The measure of the redaction: what leaks, what is altered although it is no secret, and what is refused.
@Suite(.timeLimit(.minutes(5)))
struct SecretCorpusTests {
    private static let seed = ProcessInfo.processInfo.environment["SECRET_CORPUS_SEED"].flatMap(UInt64.init) ?? 1

    /// Records exchanges through the public API; returns the stub file, and the errors of those that were refused.
    private func record(_ exchanges: [SecretCorpus.Exchange]) async throws -> (file: Data, refusals: [String]) {
        let directory = TemporaryDirectory()
        let network = StubbornNetwork(.persistent(name: "corpus", path: directory.path)!, environment: .newRun)
        network.recordMode = .recording
        network.bodyEncoding = .base64
        let index = Lock(0)
        let server = try LoopbackServer { _ in
            let exchange = exchanges[index.withLock { $0 }]
            return .init(headers: exchange.answerFields, body: .data(exchange.answer))
        }
        var refusals: [String] = []
        for (number, exchange) in exchanges.enumerated() {
            index.withLock { $0 = number }
            var request = URLRequest(url: server.url(exchange.path))
            request.httpMethod = exchange.body == nil ? "GET" : "POST"
            request.httpBody = exchange.body
            for (name, value) in exchange.fields { request.setValue(value, forHTTPHeaderField: name) }
            do {
                _ = try await network.session.data(for: request)
            } catch {
                refusals.append((error as? StubbornNetworkError)?.message ?? "\(error)")
            }
        }
        try? network.finishRecording()
        server.stop()
        return ((try? Data(contentsOf: directory.file("corpus.json"))) ?? Data(), refusals)
    }

    @Test func `secrets of services that no list knows stay out of stub files`() async throws {
        var (planted, leaked, refused) = (0, [String](), [String]())
        for service in SecretCorpus.services(seed: Self.seed) {
            let (file, refusals) = try await record(service.exchanges)
            planted += service.secrets.count
            refused += refusals.map { "\(service.name): \($0)" }
            for secret in service.secrets where SpellingSearch(secret: secret).trail(in: file) != nil {
                leaked.append("\(service.name): \(secret)")
            }
        }
        print("corpus: \(planted) planted, \(leaked.count) leaked, \(refused.count) refused")
        for line in leaked + refused { print("  \(line)") }
        #expect(leaked.count * 20 <= planted, "\(leaked.joined(separator: "\n"))")
    }

    @Test func `ordinary exchanges are stored as they are`() async throws {
        let exchanges = SecretCorpus.ordinary(seed: Self.seed)
        var (altered, refused) = ([String](), [String]())
        for exchange in exchanges {
            let (file, refusals) = try await record([exchange])
            refused += refusals
            let stubs = try JSONSerialization.jsonObject(with: file) as? [[String: Any]] ?? []
            guard let stub = stubs.first, let request = stub["request"] as? [String: Any] else { continue }
            let body = (stub["data"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
            let url = request["url"] as? String ?? ""
            let fields =
                (request["headerFields"] as? [String] ?? [])
                + ((stub["response"] as? [String: Any])?["headerFields"] as? [String] ?? [])
            if body != exchange.answer { altered.append(String(decoding: body, as: UTF8.self)) }
            if !url.hasSuffix(exchange.path) { altered.append(url) }
            for (name, value) in exchange.fields + exchange.answerFields
            where !fields.contains(where: { $0.lowercased() == "\(name)[:::]\(value)".lowercased() }) {
                altered.append("\(name): \(fields)")
            }
        }
        print("corpus: \(exchanges.count) ordinary, \(altered.count) altered, \(refused.count) refused")
        for line in altered + refused { print("  \(line)") }
        #expect(altered.count * 25 <= exchanges.count, "\(altered.joined(separator: "\n"))")
        #expect(refused.isEmpty, "\(refused.joined(separator: "\n"))")
    }
}
