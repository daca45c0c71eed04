import Foundation

/// The use of a stub file by one network of a run, as a run report says it: for the `stubborn` command.
@_spi(Tools) public struct ReportedUse: Sendable {
    /// The path of the stub file.
    public let file: String

    /// The positions, from 1, of the stubs that no request asked for.
    ///
    /// There are none where the network did not play the file back, or its process was killed: the stubs may be needed.
    public let unusedPositions: Set<Int>

    /// Reads a run report: a file that `STUB_REPORT` has named.
    ///
    /// A network that was never asked has used no file, and is left out.
    ///
    /// - Returns: The uses; `nil` for a file that is no run report.
    public static func all(in report: URL) -> [ReportedUse]? {
        guard let data = try? Data(contentsOf: report),
            let report = try? JSONDecoder().decode(RunReport.self, from: data)
        else { return nil }
        return report.networks.compactMap { network in
            guard let file = network.file, network.summary.hasRequests else {
                return nil
            }
            let isConclusive = network.mode == .playback && network.hasExited == true
            return ReportedUse(file: file, unusedPositions: Set(isConclusive ? network.unusedPositions ?? [] : []))
        }
    }
}

extension RunSummary {
    fileprivate var hasRequests: Bool { served + recorded + passedThrough + unstubbed + failed + running > 0 }
}
