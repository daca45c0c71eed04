import Foundation
import StubbornNetwork

#if canImport(VCR)
    import VCR
#endif

/// Another recorder, which plays a file with the same exchanges as a stub file.
///
/// It is measured if an environment variable contains the path of its checkout: `SWIFT_VCR`.
struct Peer {
    let name: String
    let file: URL
    let session: URLSession
    /// Makes the recorder play the file; it plays one file at a time.
    let begin: () throws -> Void
    let end: () throws -> Void

    /// Writes a file for each recorder that is available.
    static func all(in directory: URL, count: Int, bodyByteCount: Int) throws -> [Peer] {
        #if canImport(VCR)
            let file = directory.appendingPathComponent("swift_vcr_\(count).json")
            let interactions = (0..<count).map { number in
                HTTPInteraction(
                    request: RecordedRequest(
                        method: "GET",
                        url: StubFile.url(of: number).absoluteString,
                        headers: ["Accept": "*/*"],
                        body: nil
                    ),
                    response: RecordedResponse(
                        statusCode: 200,
                        headers: ["Content-Length": "\(bodyByteCount)", "Content-Type": "text/plain"],
                        body: StubFile.randomBody(byteCount: bodyByteCount)
                    )
                )
            }
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(Tape(name: "swift_vcr_\(count)", interactions: interactions)).write(to: file)
            return [playing(file)].compactMap { $0 }
        #else
            return []
        #endif
    }

    /// Returns the recorder that plays a file that `all` has written; `nil` if it is not available.
    static func playing(_ file: URL) -> Peer? {
        #if canImport(VCR)
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            return Peer(
                name: "swift-vcr",
                file: file,
                session: VCR.urlSession(configuration: configuration),
                begin: {
                    VCR.shared.configure(
                        VCRConfiguration(cassetteLibraryDirectory: file.deletingLastPathComponent())
                    )
                    try VCR.shared.insertCassette(file.deletingPathExtension().lastPathComponent)
                },
                end: {
                    try VCR.shared.ejectCassette()
                    VCR.shared.disable()
                }
            )
        #else
            return nil
        #endif
    }
}

#if canImport(VCR)
    /// A file of swift-vcr, which has no public initializer for a file with exchanges.
    private struct Tape: Encodable {
        var name: String
        var interactions: [HTTPInteraction]
        var recordMode = RecordMode.none
        var matcher = RequestMatcherType.methodAndURI
    }
#endif
