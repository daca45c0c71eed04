import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The command that runs the tests: `swift test --skip-build`, or any other command, whose exit status is then the only
/// result.
struct TestCommand {
    private let words: [String]
    /// The index of `test` in `swift test`; `nil` for a different command.
    private let test: Int?
    /// The option of this Swift version for the file with the events of tests.
    private let eventOption: String?
    /// The directory for the files of a run.
    private let directory: URL

    init(_ words: [String], filesIn directory: URL) throws {
        guard let program = words.first else {
            throw ToolError("Pass the command that runs the tests after --: -- swift test --skip-build")
        }
        let words = Self.withoutLock(words)
        (self.words, self.directory) = (words, directory)
        let swift = words.firstIndex { ($0 as NSString).lastPathComponent == "swift" }
        test = swift.flatMap { words.dropFirst($0 + 1).first == "test" ? $0 + 1 : nil }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        guard let test else {
            eventOption = nil
            return
        }
        let help = directory.appendingPathComponent("help")
        _ = try ChildProcess(Array(words[...test]) + ["--help-hidden"], output: help).status()
        let text = (try? String(contentsOf: help, encoding: .utf8)) ?? ""
        eventOption = ["--event-stream-output-path", "--experimental-event-stream-output"].first(where: text.contains)
        if text.isEmpty {
            throw ToolError("The command '\(program) test' cannot be run. Install Swift, or pass a different command.")
        }
    }

    /// Returns the words of a command, changed so that SwiftPM does not wait for the end of the plugin that runs this
    /// command.
    static func withoutLock(_ words: [String]) -> [String] {
        guard ProcessInfo.processInfo.environment["STUBBORN_IN_PLUGIN"] != nil,
            let swift = words.firstIndex(where: { ($0 as NSString).lastPathComponent == "swift" }),
            swift + 1 < words.count, ["build", "run", "test"].contains(words[swift + 1])
        else { return words }
        return words[...(swift + 1)] + ["--ignore-lock"] + words[(swift + 2)...]
    }

    /// A Boolean value that indicates whether a run lists the tests that pass and fail.
    var namesTests: Bool { test != nil }

    /// The words of the command, as in a shell.
    var text: String { words.map(\.shellQuoted).joined(separator: " ") }

    /// Runs the tests.
    ///
    /// - Parameters:
    ///   - replacements: The contents that are played instead of stub files, by the paths of these files.
    ///   - copies: The directory to record copies of the stub files into; `nil` to play back.
    ///   - isFirst: A Boolean value that indicates whether the command may build the tests.
    ///   - reports: A Boolean value that indicates whether the run shows which stubs the tests receive.
    ///   - inTurns: A Boolean value that indicates whether no two tests run at the same time.
    ///   - timeout: The seconds after which the run is ended.
    /// - Returns: The results of the run.
    /// - Throws: `ToolError` if the command cannot be started.
    func run(
        playing replacements: [String: Data] = [:],
        recordingInto copies: URL? = nil,
        isFirst: Bool = false,
        reports: Bool = false,
        inTurns: Bool = false,
        timeout: Double = .infinity
    ) throws -> TestRun {
        let manager = FileManager.default
        let run = directory.appendingPathComponent("run")
        try? manager.removeItem(at: run)
        try manager.createDirectory(at: run, withIntermediateDirectories: true)
        let file = { (name: String) in run.appendingPathComponent(name) }
        var paths: [String: String] = [:]
        for (number, (path, text)) in replacements.enumerated() {
            paths[path] = file("\(number).json").path
            try text.write(to: file("\(number).json"))
        }
        try Data(JSONOutput.text(of: paths).utf8).write(to: file("replacements"))
        var variables = ["STUB_RECORD_MODE": "playback", "STUB_REPLACEMENTS": file("replacements").path]
        if let copies { variables = ["STUB_RECORD_MODE": "recording", "STUB_COPIES": copies.path] }
        if reports { variables["STUB_REPORT"] = file("reports").path + "/" }
        var words = words
        if let test {
            var options: [String] = []
            if !isFirst, !words.contains("--skip-build") { options.append("--skip-build") }
            if inTurns, !words.contains("--parallel") { options.append("--no-parallel") }
            if let eventOption { options += [eventOption, file("events").path] }
            words.insert(contentsOf: options, at: test + 1)
        }
        let start = DispatchTime.now()
        let process = try ChildProcess(words, variables: variables, output: file("output"))
        let status = process.status(waitingAtMost: timeout)
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
        let output = (try? Data(contentsOf: file("output"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        var result = TestRun(status: status, seconds: seconds, output: output)
        if test != nil {
            result.readEvents((try? Data(contentsOf: file("events"))) ?? Data())
            result.readXCTest(output)
        }
        if reports, manager.fileExists(atPath: file("reports").path) {
            for report in try manager.contentsOfDirectory(at: file("reports"), includingPropertiesForKeys: nil) {
                result.uses += StubFileUse.all(in: report) ?? []
            }
        }
        return result
    }
}

/// The results of a run of the tests.
struct TestRun {
    enum Outcome { case running, passed, failed }

    /// The exit status; `nil` for a run that was ended because it took too long.
    let status: Int32?
    let seconds: Double
    let output: String
    /// The tests that were started, by their names for `swift test --filter`: `LoginTests.login`.
    private(set) var outcomes: [String: Outcome] = [:]
    /// The stub files that networks have used.
    var uses: [StubFileUse] = []

    /// The last lines of the command's output.
    var lastLines: String { output.lines.suffix(12).map(\.printable).joined(separator: "\n") }

    /// The tests that have failed, or have not ended.
    var failed: Set<String> { Set(outcomes.filter { $0.value != .passed }.keys) }

    private mutating func note(_ name: String, _ outcome: Outcome) {
        // Tests of two targets may have the same name.
        if outcomes[name] != .failed { outcomes[name] = outcome }
    }

    /// Reads the events of Swift Testing: a JSON object in each line.
    mutating func readEvents(_ text: Data) {
        struct Record: Decodable {
            struct Payload: Decodable {
                struct Message: Decodable { let symbol: String? }
                let kind: String?
                let testID: String?
                let messages: [Message]?
            }
            let kind: String
            let payload: Payload
        }
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let record = try? JSONDecoder().decode(Record.self, from: line), record.kind == "event",
                let name = record.payload.testID.flatMap(Self.name(ofID:))
            else { continue }
            switch record.payload.kind {
            case "testStarted": note(name, .running)
            case "testEnded":
                let hasFailed = record.payload.messages?.contains { $0.symbol == "fail" } == true
                note(name, hasFailed ? .failed : .passed)
            default: break
            }
        }
    }

    /// Returns the name of a test of Swift Testing, `LoginTests.login` for `AppTests.LoginTests/login()/LoginTests.swift:4:2`;
    /// `nil` for a suite.
    private static func name(ofID id: String) -> String? {
        guard let module = id.firstIndex(of: ".") else { return nil }
        var path = id[id.index(after: module)...]
        if let location = path.range(of: "\\.swift:[0-9]+:[0-9]+$", options: .regularExpression) {
            path = path[..<location.lowerBound]
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        guard path.hasSuffix(")"), let arguments = path.lastIndex(of: "(") else { return nil }
        let isWord = { (character: Character) in
            character.isASCII && (character.isLetter || character.isNumber || character == "_")
        }
        return String(path[..<arguments].map { isWord($0) ? $0 : "." })
    }

    /// Reads what XCTest writes: `Test Case 'LoginTests.testLogin' failed (0.1 seconds)`.
    mutating func readXCTest(_ text: String) {
        for line in text.lines where line.hasPrefix("Test Case '") {
            let parts = line.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let words = parts[1].split { "-[] .".contains($0) }
            let name = words.suffix(2).joined(separator: ".")
            for (word, outcome) in [
                ("started", Outcome.running), ("passed", .passed), ("skipped", .passed), ("failed", .failed),
            ]
            where parts[2].hasPrefix(" \(word)") { note(name, outcome) }
        }
    }
}
