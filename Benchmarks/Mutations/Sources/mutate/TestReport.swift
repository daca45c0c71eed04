import Foundation

/// A test, by its name for `swift test --filter`.
struct Test: Hashable, CustomStringConvertible {
    /// The identifier of Swift Testing, or the class and the method of an XCTest, with `/` between them.
    let description: String

    /// The expression that finds this test and no other.
    var filter: String { #"(^|\.)\#(NSRegularExpression.escapedPattern(for: description))$"# }
}

/// The results of a test run so far: Swift Testing writes them into its stream of events, and XCTest into its output.
struct TestReport {
    private(set) var failures: [Test: String] = [:]

    private var running: Set<Test> = []
    private var functions: Set<String> = []
    private var output: NewLines
    private var events: NewLines

    init(output: URL, events: URL) throws {
        self.output = try NewLines(of: output)
        self.events = try NewLines(of: events)
    }

    /// Reads the new results.
    ///
    /// - Returns: A Boolean value that indicates whether there were any.
    mutating func read() throws -> Bool {
        let (lines, records) = (try output.next(), try events.next())
        for line in lines { readXCTest(line) }
        for record in records {
            if let record = try? JSONDecoder().decode(Record.self, from: Data(record.utf8)) { read(record.payload) }
        }
        return !lines.isEmpty || !records.isEmpty
    }

    /// Counts tests as failures if they have begun but have not ended.
    mutating func blameRunning(_ reason: String) {
        for test in running where failures[test] == nil { failures[test] = reason }
        running = []
    }

    private struct Record: Decodable {
        struct Payload: Decodable {
            struct Issue: Decodable { let isKnown: Bool?, isFailure: Bool? }
            struct Message: Decodable { let text: String }

            let kind: String
            let id: String?
            let testID: String?
            let issue: Issue?
            let messages: [Message]?
        }

        let payload: Payload
    }

    private mutating func read(_ payload: Record.Payload) {
        if payload.kind == "function", let id = payload.id { functions.insert(id) }
        guard let id = payload.testID, functions.contains(id) else { return }
        let test = Test(description: id)
        switch payload.kind {
        case "testStarted": running.insert(test)
        case "testEnded", "testSkipped": running.remove(test)
        case "issueRecorded":
            guard payload.issue?.isKnown != true, payload.issue?.isFailure != false, failures[test] == nil else {
                return
            }
            let text = payload.messages?.first?.text ?? "an issue"
            failures[test] = String(text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(200))
        default: break
        }
    }

    private mutating func readXCTest(_ line: String) {
        if let match = line.firstMatch(of: /^Test Case '(\w+)\.(\w+)' (started|passed|failed|skipped)/) {
            let test = Test(description: "\(match.1)/\(match.2)")
            if match.3 == "started" { running.insert(test) } else { running.remove(test) }
        } else if let match = line.firstMatch(of: /^\S+?: error: (\w+)\.(\w+) : (.*)/) {
            failures[Test(description: "\(match.1)/\(match.2)")] = String(match.3)
        }
    }
}

/// The lines that are added to a file.
private struct NewLines {
    private let file: FileHandle
    private var rest = Data()

    init(of url: URL) throws {
        file = try FileHandle(forReadingFrom: url)
    }

    mutating func next() throws -> [String] {
        rest += try file.readToEnd() ?? Data()
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let lines = String(decoding: rest[..<end], as: UTF8.self).split(separator: "\n").map(String.init)
        rest = Data(rest[(end + 1)...])
        return lines
    }
}
