import Foundation
import StubbornNetwork

/// A stub file for measurements, with a number of stubs that each have a body of incompressible bytes.
struct StubFile {
    let url: URL
    let count: Int
    let bodyByteCount: Int

    /// Writes the file as the library would.
    ///
    /// With `hasTokens`, each request has the placeholder of a different token, which stands for any value.
    init(_ name: String, in directory: URL, count: Int, bodyByteCount: Int, hasTokens: Bool = false) throws {
        url = directory.appendingPathComponent("\(name).json")
        self.count = count
        self.bodyByteCount = bodyByteCount
        try Data().write(to: url)
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        for number in 0..<count {
            let body = Self.randomBody(byteCount: bodyByteCount)
            try handle.write(contentsOf: Data((number == 0 ? "[\n" : ",\n").utf8))
            try handle.write(contentsOf: Data(Self.stub(number, body: body, hasTokens: hasTokens).utf8))
        }
        try handle.write(contentsOf: Data("\n]\n".utf8))
    }

    /// Returns bytes that do not compress.
    static func randomBody(byteCount: Int) -> Data {
        var random = SystemRandomNumberGenerator()
        let words = (0..<byteCount / 8 + 1).map { _ in random.next() }
        return words.withUnsafeBytes { Data($0.prefix(byteCount)) }
    }

    var byteCount: Int {
        get throws { try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
    }

    /// A network that plays it back.
    func network() throws -> StubbornNetwork {
        try .persistent(at: url)
    }

    /// The configuration of a network that plays it back.
    func configuration() throws -> StubbornNetworkConfiguration {
        try .persistent(at: url)
    }

    /// The body of the stub with a number.
    ///
    /// `token` is the query item of its request.
    static func url(of number: Int, token: String? = nil) -> URL {
        let query = token.map { "?token=\($0)" } ?? ""
        guard let url = URL(string: "https://api.example.com/v1/items/\(100_000 + number)\(query)") else {
            preconditionFailure("The address is well formed.")
        }
        return url
    }

    private static func stub(_ number: Int, body: Data, hasTokens: Bool) -> String {
        """
          {
            "data" : "\(body.base64EncodedString())",
            "request" : {
              "headerFields" : [ "Accept[:::]*/*" ],
              "method" : "GET",
              "url" : "\(url(of: number, token: hasTokens ? "REDACTED-token-\(number + 1)" : nil).absoluteString)"
            },
            "response" : {
              "headerFields" : [ "Content-Length[:::]\(body.count)", "Content-Type[:::]text/plain" ],
              "statusCode" : 200
            }
          }
        """
    }
}

extension StubbornNetworkConfiguration {
    /// Returns the configuration for the stub file at a URL.
    static func persistent(at file: URL) throws -> StubbornNetworkConfiguration {
        let name = file.deletingPathExtension().lastPathComponent
        let directory = file.deletingLastPathComponent().path
        guard let configuration = persistent(name: name, path: directory) else {
            throw CocoaError(.fileReadInvalidFileName)
        }
        return configuration
    }
}

extension StubbornNetwork {
    /// Returns a network for the stub file at a URL.
    ///
    /// The network ignores the environment.
    static func persistent(at file: URL) throws -> StubbornNetwork {
        StubbornNetwork(try .persistent(at: file), environment: [:])
    }
}
