import Foundation
import Testing

@testable import StubbornNetwork

/// Each row of the table of tokens.
struct TokenFormTests {
    /// The beginnings of the table, and where each is in it.
    private static let prefixes = TokenForm.all.indices.map {
        (text: String(decoding: TokenForm.all[$0].prefix, as: UTF8.self), index: $0)
    }

    /// Returns a token with as many characters after its beginning.
    private func token(_ row: TokenForm, _ count: Int) -> [UInt8] {
        let all = "Q7z4Tk9W-m2R_b5.Y+p8/H0d3X=6Fa1c7Ee2B0" + "8vJ9sN4gU5"
        let characters = all.utf8.filter(row.isMember)
        let before = Array("1234567890abcdef0123456789abcdef".utf8.prefix(row.before))
        return before + row.prefix + (0..<count).map { characters[($0 * 7 + $0 / characters.count) % characters.count] }
    }

    @Test(arguments: prefixes)
    func `a token is found by its beginning, where it is as long as they are`(prefix: String, index: Int) throws {
        let row = TokenForm.all[index]
        func ranges(_ count: Int) -> [Range<Int>] {
            let text = Array("see ".utf8) + token(row, count) + Array(" there".utf8)
            return text.withUnsafeBufferPointer { SecretShapes.matches(in: $0, .standard).map(\.range) }
        }
        func whole(_ count: Int) -> Range<Int> { 4..<4 + row.before + row.prefix.count + count }
        // The rows of another provider may have a shorter beginning: `sk-`, and `sk-ant-`.
        if TokenForm.all.contains(where: {
            $0.prefix != row.prefix && $0.before == 0 && row.prefix.starts(with: $0.prefix)
        }) {
            return
        }
        let least = row.counts.lowerBound
        #expect(ranges(least).contains(whole(least)))
        #expect(!ranges(least - 1).contains(whole(least - 1)))
        #expect(ranges(least + 1).contains(whole(least + 1)) == (row.counts.upperBound == .max))
        // A letter or a digit that cannot be in the token makes it another word, where its length is known.
        guard let other = "zZ9".utf8.first(where: { !row.isMember($0) }) else { return }
        let text = Array("see ".utf8) + token(row, least) + [other]
        let found = text.withUnsafeBufferPointer { SecretShapes.matches(in: $0, .standard).map(\.range) }
        #expect(found.contains(whole(least)) == (row.counts.upperBound == .max))
    }

    @Test func `each row is read, and no beginning is in the table twice with one alphabet`() {
        let rows = TokenForm.rows.map { $0.split(separator: ";") }
        let alphabets = rows.flatMap { cells in cells[3].split(separator: " ").map { "\(cells[1]) \($0)" } }
        #expect(Set(alphabets).count == alphabets.count)
        let prefixes = rows.flatMap { $0[3].split(separator: " ") }
        #expect(TokenForm.all.map { String(decoding: $0.prefix, as: UTF8.self) } == prefixes.map(String.init))
        #expect(TokenForm.rows.count > 110)
        #expect(rows.allSatisfy { !$0[0].isEmpty })
    }
}
