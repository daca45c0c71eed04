// The demo app: `bytes https://example.com/417` downloads a URL and prints "417 bytes". One line makes it testable from
// outside by its environment. In a test, it uses the network that TESTING, STUB_NAME, STUB_PATH and STUB_RECORD_MODE
// configure; otherwise, it uses URLSession.shared.

import ArgumentParser
import BytesKit
import StubbornNetwork

@main
struct Bytes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bytes",
        abstract: "Downloads a URL and prints its size."
    )

    @Argument(help: "What to download, as https://example.com/417.", transform: parseURL)
    var url: URL

    func run() async throws {
        let session = ProcessInfo.processInfo.testing ? StubbornNetwork.standard.session : URLSession.shared
        do {
            print(try await BytesClient(session: session).summary(of: url))
        } catch {
            FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
            throw ExitCode.failure
        }
    }

    private static func parseURL(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw ValidationError("\"\(text)\" is not a URL.") }
        return url
    }
}
