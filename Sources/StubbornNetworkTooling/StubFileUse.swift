import Foundation
import StubbornNetwork

/// The use of a stub file by one network of a run, from a run report.
@_spi(Tools) public struct StubFileUse: Sendable {
    /// The path of the stub file on the machine that ran the tests.
    public let file: String

    /// The test that used the file, in the form for `swift test --filter`; `nil` if it is not known.
    public let test: String?

    /// The path of the stub file in its repository or package, which is the same on every machine.
    public let pathInPackage: String?

    /// The length of the stub file in bytes when it was read; `nil` if that is not known.
    public let fileByteCount: Int?

    /// The positions, from 1, of the stubs that no request used.
    ///
    /// The array is empty if the network did not play the file back, or its process was killed, because the stubs may
    /// be needed.
    public let unusedPositions: Set<Int>

    /// The first fifty requests that no stub answered, by method and URL.
    public let unansweredRequests: [String]

    /// A Boolean value that indicates whether stubs answered all requests of the network, and the process was not
    /// killed.
    public let isSettled: Bool

    /// Reads a run report: a file that was written to `STUB_REPORT`.
    ///
    /// A network without requests used no file, and is left out.
    ///
    /// - Returns: The uses; `nil` for a file that is not a run report.
    public static func all(in report: URL) -> [StubFileUse]? {
        guard let report = RunReport(contentsOf: report) else { return nil }
        return report.networks.filter(\.summary.hasRequests).flatMap { network in
            let isSettled = network.hasExited == true && network.summary.isSettled
            let isConclusive = network.mode == .playback && network.hasExited == true
            func use(_ file: String, _ path: String?, _ byteCount: Int?, _ unused: [Int]?, _ missing: [String])
                -> StubFileUse
            {
                StubFileUse(
                    file: file,
                    test: network.test,
                    pathInPackage: path,
                    fileByteCount: byteCount,
                    unusedPositions: Set(isConclusive ? unused ?? [] : []),
                    unansweredRequests: missing,
                    isSettled: isSettled
                )
            }
            var uses = (network.shared ?? []).map {
                use($0.file, $0.pathInPackage, $0.fileByteCount, $0.unusedPositions, [])
            }
            if let file = network.file {
                let missing = network.unstubbed.map(\.request)
                uses.append(use(file, network.pathInPackage, network.fileByteCount, network.unusedPositions, missing))
            }
            return uses
        }
    }

    /// Returns the path of a file in its repository or package; `nil` if it is in neither.
    public static func pathInPackage(of file: URL) -> String? {
        StubDirectorySettings.pathInPackage(of: file.standardizedFileURL.path)
    }
}

extension RunSummary {
    fileprivate var isSettled: Bool { recorded + unstubbed + failed + running == 0 }

    fileprivate var hasRequests: Bool { stubbed + recorded + passedThrough + unstubbed + failed + running > 0 }
}
