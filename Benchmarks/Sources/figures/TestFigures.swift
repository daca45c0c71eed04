import Foundation
import StubbornNetwork

/// The time of one small test, relative to the same test with a session of the floor.
///
/// The test creates a network from a file of ten stubs and a session, makes three requests, and ends all of them.
struct TestFigures {
    private static let testCount = 20

    private let rounds: Int
    private let file: StubFile

    init(_ directory: URL, rounds: Int) throws {
        self.rounds = rounds
        file = try StubFile("test", in: directory, count: 10, bodyByteCount: ConstantAnswer.body.count)
    }

    func rows() throws -> [Table.Row] {
        let floor = Contender("floor") { try runTests { ConstantAnswer.session() } }
        // With the process's own environment, as in a test.
        let ours = Contender("ours") { try runTests { try StubbornNetwork(file.configuration()).session } }
        let measured = try Contest([floor, ours]).run(rounds: 5 * rounds, iterations: 3).mapValues { figure in
            Figure(values: figure.values.map { $0 / Double(Self.testCount) }, unit: .seconds)
        }
        guard let ourTime = measured[ours.name], let floorTime = measured[floor.name] else { return [] }
        return [
            Table.Row(
                what: "one test of three requests, 10 stubs in a file: network and session over a bare session",
                ours: ourTime,
                other: floorTime
            )
        ]
    }

    private func runTests(_ session: () throws -> URLSession) throws {
        for _ in 0..<Self.testCount {
            let requests = Requests(
                session: try session(),
                urls: (0..<3).map { StubFile.url(of: $0 * 3) },
                width: 1,
                bodyByteCount: ConstantAnswer.body.count
            )
            try requests.make()
        }
    }
}
