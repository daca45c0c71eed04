import Foundation
import StubbornNetwork

/// The time of a playback, relative to the floor, and its growth with the number of stubs.
struct PlaybackFigures {
    private static let counts = [1, 1_000, 10_000]
    private static let floor = "floor"
    private static let withTokens = "recorded with tokens"

    private let rounds: Int
    private let sessions: [(name: String, session: URLSession, stubCount: Int)]
    private let peers: [(stubCount: Int, peer: Peer)]

    init(_ directory: URL, rounds: Int) throws {
        self.rounds = rounds
        var sessions = [(name: Self.floor, session: ConstantAnswer.session(), stubCount: 1)]
        for count in Self.counts {
            sessions.append((Self.name("declared", count), Self.declared(count).session, count))
            let file = try StubFile(
                "playback_\(count)",
                in: directory,
                count: count,
                bodyByteCount: ConstantAnswer.body.count
            )
            sessions.append((Self.name("recorded", count), try file.network().session, count))
            guard count != 1_000 else { continue }
            let tokens = try StubFile(
                "playback_tokens_\(count)",
                in: directory,
                count: count,
                bodyByteCount: ConstantAnswer.body.count,
                hasTokens: true
            )
            sessions.append((Self.name(Self.withTokens, count), try tokens.network().session, count))
        }
        self.sessions = sessions
        peers = try [1, 10_000].flatMap { count in
            try Peer.all(in: directory, count: count, bodyByteCount: ConstantAnswer.body.count).map { (count, $0) }
        }
    }

    func rows() throws -> [Table.Row] {
        try rows("sequential", width: 1, requestCount: 100) + rows("64 at a time", width: 64, requestCount: 128)
    }

    private func rows(_ way: String, width: Int, requestCount: Int) throws -> [Table.Row] {
        func requests(_ session: URLSession, _ stubCount: Int, token: String? = nil) -> Requests {
            // Spread over all stubs, so that no cache holds them.
            let urls = (0..<requestCount).map { StubFile.url(of: ($0 * 7_919) % stubCount, token: token) }
            return Requests(session: session, urls: urls, width: width, bodyByteCount: ConstantAnswer.body.count)
        }
        let ours = sessions.map { name, session, stubCount in
            let requests = requests(session, stubCount, token: name.hasSuffix(Self.withTokens) ? "dummy" : nil)
            return Contender(name) { try requests.make() }
        }
        // Many short rounds, because a playback is easily disturbed.
        let measured = try Contest(ours).run(rounds: 5 * rounds, iterations: 5)
        func row(_ measured: [String: Figure], _ name: String, over other: String, _ target: Double) -> Table.Row? {
            guard let figures = measured[name], let others = measured[other] else { return nil }
            func perRequest(_ figure: Figure) -> Figure {
                Figure(values: figure.values.map { $0 / Double(requestCount) }, unit: .seconds)
            }
            return Table.Row(
                what: "playback, \(way): \(name) over \(other)",
                ours: perRequest(figures),
                other: perRequest(others),
                target: target
            )
        }
        let overOurs = ["declared", "recorded", Self.withTokens].flatMap { kind in
            [row(measured, Self.name(kind, 1), over: Self.floor, 1.05)]
                + Self.counts.dropFirst().map { row(measured, Self.name(kind, $0), over: Self.name(kind, 1), 1.1) }
        }
        return try overOurs.compactMap { $0 }
            + peers.flatMap { stubCount, peer in
                let name = Self.name(peer.name, stubCount)
                let requests = requests(peer.session, stubCount)
                let theirs = Contender(name, begin: peer.begin, end: peer.end) { try requests.make() }
                // A round is long: before it, the peer reads its whole file.
                let measured = try Contest(ours.filter { $0.name == Self.name("recorded", stubCount) } + [theirs])
                    .run(rounds: rounds, iterations: 5)
                return [row(measured, Self.name("recorded", stubCount), over: name, 1)].compactMap { $0 }
            }
    }

    private static func name(_ kind: String, _ count: Int) -> String {
        "\(count) \(kind)"
    }

    private static func declared(_ count: Int) -> StubbornNetwork {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        for number in 0..<count {
            network.stub(
                .get(StubFile.url(of: number).absoluteString),
                with: .data(ConstantAnswer.body, contentType: "text/plain")
            )
        }
        return network
    }
}
