import Foundation
import StubbornNetwork

/// The answers that tests of this process have recorded into stub files that they share by name.
enum SharedRecordings {
    private struct Answer: Hashable {
        let status: Int?
        let body: Data?

        init(_ response: StubResponse) { (status, body) = (response.head?.statusCode, response.body) }
    }

    private typealias Answers = [StubRequest: [Answer]]

    /// The answers of each test, by the stub file.
    private static let recorded = Lock<[URL: [String: Answers]]>([:])

    /// Notes the recordings of a test into a file.
    ///
    /// Returns the message about requests for which a different test recorded different answers; `nil` if there are
    /// none.
    ///
    /// On playback, all tests would get the answers that were recorded first.
    static func conflict(of test: TestName, in file: URL, _ stubs: [Stub]) -> String? {
        let name = test.stubName
        let own: Answers = Dictionary(grouping: stubs, by: \.request).mapValues { $0.map { Answer($0.response) } }
        let others = recorded.withLock { recorded in
            recorded[file, default: [:]][name] = own
            return recorded[file, default: [:]].filter { $0.key != name }
        }
        let lines = own.compactMap { request, answers -> String? in
            let names = others.filter { $0.value[request].map { $0 != answers } ?? false }.keys.sorted()
            return names.isEmpty ? nil : "  \(request): \(([name] + names).listed(upTo: 8).joined(separator: ", "))"
        }
        guard !lines.isEmpty else { return nil }
        return """
            Tests that share \(file.relativeDisplayPath) recorded different answers to one request:
            \(lines.sorted().listed(upTo: 8).joined(separator: "\n"))
            On playback each of them gets the answers that were recorded first. Give each test its own file: leave out `named:`.
            """
    }
}
