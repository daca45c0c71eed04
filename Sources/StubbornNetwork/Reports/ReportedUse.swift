import Foundation

/// The use of a stub file by one network of a run, as a run report says it: for the `stubborn` command.
@_spi(Tools) public struct ReportedUse: Sendable {
    /// The path of the stub file.
    public let file: String

    /// The recorded stubs that no request asked for, by method and URL: `GET https://api.example.com/users`.
    ///
    /// Of more than fifty, the first fifty are listed.
    public let unused: [String]

    /// A Boolean value that indicates whether the list says which stubs the run did not need: the network played them
    /// back, and its process ended.
    public let isConclusive: Bool

    /// Reads a run report: a file that `STUB_REPORT` has named.
    ///
    /// - Returns: The uses; `nil` for a file that is no run report.
    public static func all(in report: URL) -> [ReportedUse]? {
        guard let data = try? Data(contentsOf: report),
            let report = try? JSONDecoder().decode(RunReport.self, from: data)
        else { return nil }
        return report.networks.compactMap { network in
            network.file.map { file in
                let isConclusive = network.mode == .playback && network.hasExited == true
                return ReportedUse(file: file, unused: network.unused, isConclusive: isConclusive)
            }
        }
    }
}
