import Foundation
import Testing

@testable import StubbornNetwork

/// Files of every kind, well and badly formed, read as Foundation reads them.
struct StubFileCorpusTests {
    /// Well formed, with keys that Foundation's side of these tests knows nothing of.
    private static let readable: Set = ["every-key", "long-strings", "older-shape-nulls"]

    /// Refused here, and read by Foundation.
    private static let stricter: Set = ["duplicate-keys", "duplicate-null-first", "trailing-commas"]

    @Test(arguments: Corpus.files)
    func `a file yields the stubs that Foundation reads`(file: URL) throws {
        let name = file.deletingPathExtension().lastPathComponent
        let data = try Data(contentsOf: file)
        let outcome = StubFileReading().outcome(of: data)
        #expect(outcome.isStricter == Self.stricter.contains(name))
        if Self.readable.contains(name) {
            #expect(outcome.stubs?.isEmpty == false)
        } else if !outcome.isStricter {
            #expect(outcome.stubs == (FoundationStub.knowsAllKeys(of: data) ? FoundationStub.stubs(in: data) : nil))
        }
    }

    @Test func `the corpus contains more than seventy files`() {
        #expect(Corpus.files.count > 70)
    }
}
