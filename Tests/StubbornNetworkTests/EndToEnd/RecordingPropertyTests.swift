import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Generated conversations with a server: what is recorded plays, and recording again changes nothing.
@Suite(.timeLimit(.minutes(5)))
struct RecordingPropertyTests {
    /// What a client sees of an exchange.
    private struct Seen: Equatable {
        var status: Int?
        var type: String?
        var mark: String?
        var body: Data
    }

    private static let texts = [
        "", "a", "two words", "a line\nand another\r\n", "Grüße 😀", "\"quoted\" \\ back/slash", "null",
    ]

    private static func request(_ url: (String) -> URL, _ random: inout Generator) -> URLRequest {
        let path = Spelled.pick(["/a", "/a/b", "/%C3%BC", "/a%20b"], &random)
        let query = Spelled.pick(["", "?page=1", "?page=2&x", "?x=&page=1", "?name=%C3%A9+x"], &random)
        var request = URLRequest(url: url(path + query))
        request.httpMethod = Spelled.pick(["GET", "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"], &random)
        request.setValue("en", forHTTPHeaderField: "X-Mode")
        guard ["POST", "PUT", "PATCH"].contains(request.httpMethod) else { return request }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(Spelled.text(of: .list([Spelled.json(depth: 2, &random)]), &random).utf8)
        case 1:
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(Spelled.form([["name", Spelled.pick(texts, &random)], ["b", "1"]], &random).utf8)
        case 2:
            request.setValue("text/plain; charset=utf-8", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(Spelled.pick(texts, &random).utf8)
        default:
            request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data([0, 1, 0xFF, UInt8.random(in: 0...255, using: &random)])
        }
        return request
    }

    /// Returns a response that depends on the request's content and on the number of equal requests before it.
    private static func response(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
        // JSON in a different spelling is the same request.
        let body = JSONValue(request.body)?.text(upTo: .max) ?? request.body.base64EncodedString()
        let number = request.nextNumber(for: "\(request.method) \(request.target) \(body)")
        var random = Generator(seed: UInt64(request.target.utf8.count * 31 + body.utf8.count * 7 + number))
        let status = Spelled.pick([200, 200, 201, 204, 404, 500], &random)
        let mark = [(name: "X-Mark", value: "\(number)")]
        guard status != 204 else { return .init(status: 204, headers: mark) }
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            let json = Spelled.text(of: .object(["a": Spelled.json(depth: 2, &random)]), &random)
            let type = [(name: "Content-Type", value: "application/json")]
            return .init(status: status, headers: mark + type, body: .data(Data(json.utf8)))
        case 1: return .text(Spelled.pick(texts, &random), status: status, headers: mark)
        default:
            let type = [(name: "Content-Type", value: "image/png")]
            let bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
            return .init(status: status, headers: mark + type, body: .data(Data(bytes)))
        }
    }

    private func send(_ requests: [URLRequest], _ session: URLSession) async throws -> [Seen] {
        var result: [Seen] = []
        for request in requests {
            let (data, response) = try await session.data(for: request)
            result.append(
                Seen(
                    status: response.status,
                    type: response.field("Content-Type"),
                    mark: response.field("X-Mark"),
                    body: data
                )
            )
        }
        return result
    }

    @Test(arguments: BodyEncoding.allCases, [11, 12] as [UInt64])
    func `what is recorded plays, and recording it again leaves the file as it is`(
        encoding: BodyEncoding,
        seed: UInt64
    ) async throws {
        let server = try LoopbackServer(handler: Self.response)
        let directory = TemporaryDirectory()
        var random = Generator(seed: seed)
        var requests = (0..<40).map { _ in Self.request(server.url, &random) }
        requests += requests.prefix(10)
        func network(_ mode: RecordMode) -> StubbornNetwork {
            let network = StubbornNetwork(.persistent(name: "all", path: directory.path)!, environment: .newRun)
            network.recordMode = mode
            network.bodyEncoding = encoding
            network.requestMatcherOptions = .strict
            network.redaction = .none
            return network
        }
        let recording = network(.recording)
        let live = try await send(requests, recording.session)
        try recording.finishRecording()
        let file = try directory.text(of: "all.json")

        let connectionCount = server.connectionCount
        let played = try await send(requests, network(.playback).session)
        for (number, (live, played)) in zip(live, played).enumerated() {
            var expected = live
            // Readable JSON is played as the same value, without white space.
            if encoding == .readable, let value = JSONValue(body: live.body), value == JSONValue(body: played.body) {
                expected.body = played.body
            }
            #expect(played == expected, "seed \(seed): \(requests[number].httpMethod ?? "") \(requests[number])")
        }
        #expect(server.connectionCount == connectionCount)

        // Another server answers as the first one did, to requests in the same order and in another one.
        let passes: [(RecordMode, [URLRequest])] = [
            (.recording, requests), (.recordingMissing, requests), (.recordingOnce, requests),
            (.recording, requests.shuffled(using: &random)),
        ]
        for (mode, requests) in passes {
            let other = try LoopbackServer(handler: Self.response)
            let moved = requests.map { request in
                var request = request
                request.url = request.url.map {
                    other.url("/" + $0.absoluteString.components(separatedBy: "\(server.port)/")[1])
                }
                return request
            }
            let before = file.replacingOccurrences(of: ":\(server.port)/", with: ":\(other.port)/")
            try directory.write(before, to: "all.json")
            let network = network(mode)
            _ = try await send(moved, network.session)
            try network.finishRecording()
            let after = try directory.text(of: "all.json")
            let lines = zip(before.split(separator: "\n"), after.split(separator: "\n")).first { $0 != $1 }
            #expect((after == before), "seed \(seed), \(mode), \(lines.map { "\($0)" } ?? "another length")")
        }
    }

    /// The codes of `URLError` that are tested: all that Foundation has on Linux.
    private static let codes: [URLError.Code] = [
        .unknown, .cancelled, .badURL, .timedOut, .unsupportedURL, .cannotFindHost, .cannotConnectToHost,
        .networkConnectionLost, .dnsLookupFailed, .httpTooManyRedirects, .resourceUnavailable, .notConnectedToInternet,
        .redirectToNonExistentLocation, .badServerResponse, .userCancelledAuthentication, .userAuthenticationRequired,
        .zeroByteResource, .cannotDecodeRawData, .cannotDecodeContentData, .cannotParseResponse, .fileDoesNotExist,
        .fileIsDirectory, .noPermissionsToReadFile, .secureConnectionFailed, .serverCertificateHasBadDate,
        .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
        .clientCertificateRejected, .clientCertificateRequired, .cannotLoadFromNetwork, .cannotCreateFile,
        .cannotOpenFile, .cannotCloseFile, .cannotWriteToFile, .cannotRemoveFile, .cannotMoveFile,
        .downloadDecodingFailedMidStream, .downloadDecodingFailedToComplete, .internationalRoamingOff, .callIsActive,
        .dataNotAllowed, .requestBodyStreamExhausted, .appTransportSecurityRequiresSecureConnection,
        .backgroundSessionRequiresSharedContainer, .backgroundSessionInUseByAnotherProcess,
        .backgroundSessionWasDisconnected,
    ]

    @Test func `each code of URLError is played from a stub file as that error, declared and recorded`() throws {
        let directory = TemporaryDirectory()
        let stubs = Self.codes.enumerated().filter { $0.element != .cancelled }.map { number, code in
            """
            { "error" : { "code" : \(code.rawValue), "domain" : "NSURLErrorDomain" },
              "request" : { "method" : "GET", "url" : "https://a.example/\(number)" } }
            """
        }
        try directory.write("[\(stubs.joined(separator: ","))]", to: "errors.json")
        let network = StubbornNetwork(.persistent(name: "errors", path: directory.path)!, environment: .newRun)
        for (number, code) in Self.codes.enumerated() {
            let request = URLRequest(url: try URL.parsed("https://a.example/\(number)"))
            if code == .cancelled { network.stub(.path("/\(number)"), with: .failure(URLError(code))) }
            let error = #expect(throws: URLError.self, "\(code)") { try network.response(to: request) }
            #expect(error?.code == code)
            network.stub(.path("/\(number)"), with: .failure(URLError(code)))
            let declared = #expect(throws: URLError.self, "\(code)") { try network.response(to: request) }
            #expect(declared?.code == code)
        }
    }
}
