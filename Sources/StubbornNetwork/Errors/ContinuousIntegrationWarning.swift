import Foundation

/// Says, once in a process, that nothing is recorded on continuous integration.
enum ContinuousIntegrationWarning {
    private static let isGiven = Lock(false)

    static func giveOnce(_ mode: RecordMode) {
        let isFirst = isGiven.withLock { isGiven in
            defer { isGiven = true }
            return !isGiven
        }
        guard isFirst else { return }
        StandardError.write(
            """
            warning: the record mode is playback, not \(mode.rawValue), because CI is set. To record here, set \
            STUB_RECORD_MODE=\(mode.rawValue).
            """
        )
    }
}
