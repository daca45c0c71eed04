import Foundation

/// When a recording run brings the stub file up to date, which costs the whole file each time.
///
/// At once while that is cheap, so that a small recording is in its file before the client sees its end. From then on
/// recordings go to the journal, and the file follows when the network is quiet or the journal has become long. So n
/// recordings write a small multiple of their own bytes: once to the journal, once to the file at the end, and in between
/// only when the file has become eight times what it was, or after a quiet of two seconds.
struct FoldPolicy: Sendable {
    /// How many bytes the folds may write in all before the journal begins.
    static let eagerByteCount = 128 << 10

    /// A file grows by so much before it is folded again.
    static let growth = 8

    /// A journal is folded without waiting for quiet when it has so many bytes.
    static let longJournalByteCount = 8 << 20

    /// So long a quiet suffices where the file has grown by its factor, in seconds; the longer one always does.
    static let quiet = (short: 0.25, long: 2.0)

    /// What the file would have.
    private(set) var contentByteCount = 0
    /// What it had when it was last written by this run.
    private(set) var foldedContentByteCount = 0
    /// What all folds have written.
    private(set) var foldsByteCount = 0

    private var unfoldedByteCount: Int { contentByteCount - foldedContentByteCount }

    /// Begins with a file as it is.
    init(fileByteCount: Int = 0) {
        contentByteCount = fileByteCount
        foldedContentByteCount = fileByteCount
    }

    mutating func noteRecording(byteCount: Int) {
        contentByteCount += byteCount
    }

    /// - Parameters:
    ///   - content: `contentByteCount` when the fold began.
    ///   - byteCount: what has been written.
    mutating func noteFold(of content: Int, byteCount: Int) {
        foldsByteCount += byteCount
        foldedContentByteCount = content
    }

    /// Whether folding now is so cheap that no journal is needed.
    var isFoldCheap: Bool { foldsByteCount + contentByteCount <= Self.eagerByteCount }

    /// Whether the file has to be folded even though recordings keep coming.
    var isFoldDue: Bool { unfoldedByteCount >= Self.longJournalByteCount && hasGrown }

    /// After how many seconds of quiet the file is folded; `nil` when it is up to date.
    var quietBeforeFold: Double? {
        guard unfoldedByteCount > 0 else { return nil }
        return hasGrown || isFoldCheap ? Self.quiet.short : Self.quiet.long
    }

    private var hasGrown: Bool { contentByteCount >= foldedContentByteCount * Self.growth }
}
