import ArgumentParser
import Foundation
import StubbornNetwork

/// `figures probe-loading`: loads one file in one way, and prints the time and the memory that this took.
///
/// In a separate process, because a process never forgets its peak.
struct ProbeLoading: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Loads a file, and prints time and peak memory as JSON.",
        shouldDisplay: false
    )

    enum Way: String, ExpressibleByArgument {
        /// The response to the file's last stub, through a session.
        case firstResponse
        /// The same, through a different recorder.
        case peer
        /// `Data(contentsOf:)`.
        case data
        /// `JSONDecoder`, on the same.
        case decoder
    }

    struct Result: Codable {
        var seconds: Double
        var peakByteCount: Int
    }

    @Argument var way: Way
    @Argument(transform: { URL(fileURLWithPath: $0) }) var file: URL
    @Argument var count: Int
    @Argument var bodyByteCount: Int

    func run() throws {
        let start = DispatchTime.now().uptimeNanoseconds
        switch way {
        case .firstResponse: try makeRequest(StubbornNetwork.persistent(at: file).session)
        case .peer:
            guard let peer = Peer.playing(file) else { throw ExitCode.failure }
            try peer.begin()
            try makeRequest(peer.session)
        case .data:
            guard try Data(contentsOf: file).count > bodyByteCount else { throw ExitCode.failure }
        case .decoder:
            let stubs = try JSONDecoder().decode([DecodedStub].self, from: Data(contentsOf: file))
            guard stubs.last?.data?.count == bodyByteCount else { throw ExitCode.failure }
        }
        let end = DispatchTime.now().uptimeNanoseconds
        let result = Result(seconds: Double(end - start) / 1_000_000_000, peakByteCount: ThisProcess.peakMemory)
        print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }

    private func makeRequest(_ session: URLSession) throws {
        let urls = [StubFile.url(of: count - 1)]
        try Requests(session: session, urls: urls, width: 1, bodyByteCount: bodyByteCount).make()
    }

    /// Makes another process load a file: the stub file, or a file at `url` with the same exchanges.
    static func result(_ way: Way, of file: StubFile, at url: URL? = nil) throws -> Result {
        let path = (url ?? file.url).path
        let arguments = ["probe-loading", way.rawValue, path, "\(file.count)", "\(file.bodyByteCount)"]
        let helper = try Helper(arguments)
        defer { helper.end() }
        return try JSONDecoder().decode(Result.self, from: Data(helper.firstLine().utf8))
    }
}

/// A stub as a library would declare it that leaves the reading to Foundation.
private struct DecodedStub: Codable {
    struct Request: Codable {
        var method: String
        var url: URL
        var headerFields: [String]?
        var requestData: Data?
    }

    struct Response: Codable {
        var statusCode: Int
        var headerFields: [String]?
    }

    var request: Request
    var response: Response?
    var data: Data?
}
