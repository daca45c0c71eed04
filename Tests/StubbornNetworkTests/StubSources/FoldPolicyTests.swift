import Testing

@testable import StubbornNetwork

struct FoldPolicyTests {
    /// Returns the number of bytes that a run writes, divided by the size of the file at its end.
    ///
    /// The run folds when the policy says so. After each recording, nothing happens for `quiet` seconds.
    private func writtenOverFile(
        _ byteCounts: [Int],
        fileByteCount: Int = 0,
        quiet: (Int) -> Double = { _ in 0 }
    ) -> Double {
        var policy = FoldPolicy(fileByteCount: fileByteCount)
        var written = 0
        var hasJournal = false
        func fold() {
            written += policy.contentByteCount
            policy.noteFold(of: policy.contentByteCount, byteCount: policy.contentByteCount)
        }
        for (number, count) in byteCounts.enumerated() {
            policy.noteRecording(byteCount: count)
            if !hasJournal, policy.isFoldCheap {
                fold()
                continue
            }
            // The first line of a journal holds what the run has recorded before.
            written += hasJournal ? count : byteCounts[...number].reduce(0, +)
            hasJournal = true
            if policy.isFoldDue { fold() }
            if let seconds = policy.quietBeforeFold, quiet(number) >= seconds { fold() }
        }
        if policy.quietBeforeFold != nil { fold() }
        return Double(written) / Double(policy.contentByteCount)
    }

    @Test func `a thousand recordings of a kilobyte write little more than twice the file`() {
        #expect(writtenOverFile(Array(repeating: 1_600, count: 1_000)) < 2.2)
    }

    @Test(arguments: [0.3, 0.5, 1.9])
    func `recordings with pauses write at most three times the size of the file`(seconds: Double) {
        #expect(writtenOverFile(Array(repeating: 1_600, count: 1_000), quiet: { _ in seconds }) < 3)
        #expect(writtenOverFile(Array(repeating: 1_600, count: 1_000), quiet: { $0 % 7 == 0 ? seconds : 0 }) < 3)
    }

    @Test(arguments: [100, 10_000, 1_000_000, 30_000_000])
    func `whatever the size, a run writes at most three and a half times the file`(byteCount: Int) {
        for count in [1, 2, 3, 10, 100, 333, 1_000] {
            // A few small ones may be folded each time.
            guard count * byteCount > 4 * FoldPolicy.eagerByteCount else { continue }
            #expect(writtenOverFile(Array(repeating: byteCount, count: count)) < 3.5)
        }
    }

    @Test func `a small recording is folded at once`() {
        var policy = FoldPolicy()
        policy.noteRecording(byteCount: 2_000)
        #expect(policy.isFoldCheap)
        policy.noteFold(of: 2_000, byteCount: 2_000)
        #expect(policy.quietBeforeFold == nil)
    }

    @Test func `recordings for a large file are folded after the long pause`() {
        var policy = FoldPolicy(fileByteCount: 10_000_000)
        policy.noteRecording(byteCount: 2_000)
        #expect(!policy.isFoldCheap)
        #expect(!policy.isFoldDue)
        #expect(policy.quietBeforeFold == FoldPolicy.quiet.long)
    }
}
