import Foundation
import StubbornNetwork

/// The growth of the time for a stub file with the number of files next to it.
struct DirectoryFigures {
    private static let counts = (few: 125, many: 1_000)

    private let directory: URL
    private let rounds: Int

    init(_ directory: URL, rounds: Int) {
        self.directory = directory
        self.rounds = rounds
    }

    func rows() throws -> [Table.Row] {
        let (few, many) = Self.counts
        let playing = try [few, many].map { count -> Contender in
            let files = directory.appendingPathComponent("of_\(count)")
            try record(count, in: files)
            return Contender("playing, \(count)") { try play(few, in: files) }
        }
        let recording = [few, many].map { count in
            Contender("recording, \(count)") {
                try TemporaryDirectory.with { try record(count, in: $0) }
            }
        }
        let played = try Contest(playing).run(rounds: rounds, iterations: 1)
        // With thousands of files, no warming up is needed.
        let recorded = try Contest(recording).run(rounds: min(rounds, 3), warmUps: 0, iterations: 1)
        return [
            row("\(few) networks in a directory of \(many) files over one of \(few)", played, "playing", target: 1.2),
            row("\(many) files recorded over \(few)", recorded, "recording", target: Double(many) / Double(few) * 1.2),
        ].compactMap { $0 }
    }

    private func row(_ what: String, _ figures: [String: Figure], _ name: String, target: Double) -> Table.Row? {
        let (few, many) = Self.counts
        guard let many = figures["\(name), \(many)"], let few = figures["\(name), \(few)"] else { return nil }
        return Table.Row(what: what, ours: many, other: few, target: target)
    }

    private func record(_ count: Int, in files: URL) throws {
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        for number in 0..<count {
            let network = try StubbornNetwork.persistent(at: file(number, in: files))
            network.recordMode = .recording
            try Waiting.run {
                _ = try await network.response(to: StubRequest(url: StubFile.url(of: number))) { _ in
                    StubResponse(head: ResponseHead(statusCode: 200), body: ConstantAnswer.body)
                }
            }
            try network.finishRecording()
        }
    }

    private func play(_ count: Int, in files: URL) throws {
        for number in 0..<count {
            let network = try StubbornNetwork.persistent(at: file(number, in: files))
            let requests = Requests(
                session: network.session,
                urls: [StubFile.url(of: number)],
                width: 1,
                bodyByteCount: ConstantAnswer.body.count
            )
            try requests.make()
        }
    }

    private func file(_ number: Int, in files: URL) -> URL { files.appendingPathComponent("test_\(number).json") }
}
