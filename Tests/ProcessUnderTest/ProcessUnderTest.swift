import Foundation
import StubbornNetwork

/// A process that asks for URLs through the network that its environment describes, and says what came.
///
///     process-under-test COUNT AT-A-TIME http://127.0.0.1:8080/bytes/
///
/// It asks for `…/1` to `…/COUNT` and writes a line to standard output for each that has ended: the number, and the body's
/// length or `failed`.
@main
enum ProcessUnderTest {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let count = Int(arguments[1]), let width = Int(arguments[2]) else { exit(64) }
        let session = StubbornNetwork.standard.session
        await withTaskGroup(of: Void.self) { group in
            for number in 1...max(count, 1) {
                if number > width { await group.next() }
                guard let url = URL(string: arguments[3] + String(number)) else { exit(64) }
                group.addTask {
                    let byteCount = await byteCount(of: url, from: session)
                    say("\(number) \(byteCount.map(String.init) ?? "failed")")
                }
            }
        }
        exit(0)
    }

    /// Loads a URL; `nil` if that fails. An executable is built for the oldest macOS, where `data(from:)` does not exist.
    private static func byteCount(of url: URL, from session: URLSession) async -> Int? {
        await withCheckedContinuation { continuation in
            session.dataTask(with: url) { data, _, error in
                continuation.resume(returning: error == nil ? data?.count : nil)
            }.resume()
        }
    }

    /// Writes a line at once and whole: the process may be killed the moment after.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }
}
