import Foundation
import Testing

@testable import StubbornNetwork

/// Files of every kind, well and badly formed: read whole and through windows of all sizes, and as Foundation reads them.
struct StubFileCorpusTests {
    /// Well formed, with keys that Foundation's side of these tests knows nothing of.
    private static let readable: Set = ["every-key", "long-strings", "older-shape-nulls"]

    @Test(arguments: Corpus.files)
    func `a file yields the stubs that Foundation reads, whatever the chunk size`(file: URL) throws {
        let name = file.deletingPathExtension().lastPathComponent
        let data = try Data(contentsOf: file)
        let reading = BothReadings()
        let theirs = FoundationStub.knowsAllKeys(of: data) ? FoundationStub.stubs(in: data) : nil
        for (minimum, windowByteCount) in [(4, 16), (5, 17), (16, 64), (100, 128), (64, 4096), (1024, 131_072)] {
            let ours = try reading.outcome(of: data, minimum: minimum, windowByteCount: windowByteCount)
            guard !Self.readable.contains(name) else {
                #expect(ours.stubs?.isEmpty == false)
                continue
            }
            #expect(ours.stubs == theirs)
        }
    }

    @Test func `the corpus contains more than seventy files`() {
        #expect(Corpus.files.count > 70)
    }
}
