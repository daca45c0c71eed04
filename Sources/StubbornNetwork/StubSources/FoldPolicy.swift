import Foundation

/// The rules for the times at which a recording run folds: writes the whole stub file with what it has recorded.
///
/// While a fold is cheap, each recording is folded at once, so that a small recording is in the file before the client sees
/// its end. Later recordings are appended to the journal, and folded when the network is quiet or the journal is long.
///
/// So the bytes of a recording are written a few times only: to the journal, to the file at the end, and when the file has
/// grown to eight times its size or nothing was recorded for two seconds.
struct FoldPolicy: Sendable {
    /// The number of bytes that all folds may write before the journal is used.
    static let eagerByteCount = 128 << 10

    /// The factor by which a file grows before it is folded again.
    static let growth = 8

    /// The length in bytes from which on a journal is folded without waiting for quiet.
    static let longJournalByteCount = 8 << 20

    /// The seconds without a recording after which the file is folded: the short time if the file has grown by `growth`, the
    /// long time otherwise.
    static let quiet = (short: 0.25, long: 2.0)

    /// The length of the file if it was folded now.
    private(set) var contentByteCount = 0
    /// The length of the file when this run folded last.
    private(set) var foldedContentByteCount = 0
    /// The number of bytes that all folds have written.
    private(set) var foldsByteCount = 0

    private var unfoldedByteCount: Int { contentByteCount - foldedContentByteCount }

    /// Creates a policy for a file.
    init(fileByteCount: Int = 0) {
        contentByteCount = fileByteCount
        foldedContentByteCount = fileByteCount
    }

    mutating func noteRecording(byteCount: Int) {
        contentByteCount += byteCount
    }

    /// Counts a fold that has ended.
    ///
    /// - Parameters:
    ///   - content: The value of `contentByteCount` when the fold began.
    ///   - byteCount: The number of bytes that were written.
    mutating func noteFold(of content: Int, byteCount: Int) {
        foldsByteCount += byteCount
        foldedContentByteCount = content
    }

    /// A Boolean value that indicates whether a fold is so cheap now that no journal is needed.
    var isFoldCheap: Bool { foldsByteCount + contentByteCount <= Self.eagerByteCount }

    /// A Boolean value that indicates whether the file has to be folded without waiting for quiet.
    var isFoldDue: Bool { unfoldedByteCount >= Self.longJournalByteCount && hasGrown }

    /// The seconds without a recording after which the file is folded; `nil` when it is up to date.
    var quietBeforeFold: Double? {
        guard unfoldedByteCount > 0 else { return nil }
        return hasGrown || isFoldCheap ? Self.quiet.short : Self.quiet.long
    }

    private var hasGrown: Bool { contentByteCount >= foldedContentByteCount * Self.growth }
}
