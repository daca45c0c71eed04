import Foundation

/// Time and memory to the first response from a large stub file, each measured in a separate process.
struct LoadingFigures {
    private let rounds: Int
    private let files: [(size: String, file: StubFile)]
    /// The cost of a session, whatever the file is, measured with one stub of ten bytes.
    private let smallFile: StubFile
    private let peers: [Peer]

    init(_ directory: URL, rounds: Int) throws {
        self.rounds = rounds
        files = [
            ("1,000 × 10 KB", try StubFile("many", in: directory, count: 1_000, bodyByteCount: 10_000)),
            ("10,000 × 1 KB", try StubFile("short", in: directory, count: 10_000, bodyByteCount: 1_000)),
            ("10 × 5 MB", try StubFile("large", in: directory, count: 10, bodyByteCount: 5_000_000)),
        ]
        smallFile = try StubFile("small", in: directory, count: 1, bodyByteCount: 10)
        peers = try Peer.all(in: directory, count: 10_000, bodyByteCount: 1_000)
    }

    func rows() throws -> [Table.Row] {
        try files.flatMap { try rows($0.size, $0.file) } + peers.map(row)
    }

    private func row(_ peer: Peer) throws -> Table.Row {
        let stubs = files[1]
        var (ours, theirs) = (Samples(), Samples())
        for _ in 0..<rounds {
            ours.add(try ProbeLoading.result(.firstResponse, of: stubs.file))
            theirs.add(try ProbeLoading.result(.peer, of: stubs.file, at: peer.file))
        }
        let what = "first response from \(stubs.size): time over \(peer.name)"
        return Table.Row(what: what, ours: ours.time, other: theirs.time, target: 0.5)
    }

    private func rows(_ size: String, _ file: StubFile) throws -> [Table.Row] {
        var ours = Samples()
        var small = Samples()
        var data = Samples()
        var decoder = Samples()
        for _ in 0..<rounds {
            small.add(try ProbeLoading.result(.firstResponse, of: smallFile))
            ours.add(try ProbeLoading.result(.firstResponse, of: file))
            data.add(try ProbeLoading.result(.data, of: file))
            decoder.add(try ProbeLoading.result(.decoder, of: file))
        }
        let what = "first response from \(size)"
        let fileSize = Figure(values: Array(repeating: Double(try file.byteCount), count: rounds), unit: .bytes)
        return [
            Table.Row(what: "\(what): time over Data(contentsOf:)", ours: ours.time, other: data.time, target: 2),
            Table.Row(what: "\(what): time over JSONDecoder", ours: ours.time, other: decoder.time, target: 0.1),
            Table.Row(what: "\(what): time over that from one small stub", ours: ours.time, other: small.time),
            Table.Row(
                what: "\(what): peak memory, over that from one small stub, over the file",
                ours: ours.peak.less(small.peak),
                other: fileSize,
                target: 0.5
            ),
            Table.Row(what: "\(what): peak memory, process and all, over the file", ours: ours.peak, other: fileSize),
            Table.Row(what: "\(what): peak memory over Data(contentsOf:)", ours: ours.peak, other: data.peak),
            Table.Row(what: "\(what): peak memory over JSONDecoder", ours: ours.peak, other: decoder.peak),
        ]
    }
}

private struct Samples {
    private(set) var time = Figure(values: [], unit: .seconds)
    private(set) var peak = Figure(values: [], unit: .bytes)

    mutating func add(_ result: ProbeLoading.Result) {
        time.values.append(result.seconds)
        peak.values.append(Double(result.peakByteCount))
    }
}

extension Figure {
    /// The excess over a different figure, round by round.
    fileprivate func less(_ other: Figure) -> Figure {
        Figure(values: zip(values, other.values).map { $0 - $1 }, unit: unit)
    }
}
