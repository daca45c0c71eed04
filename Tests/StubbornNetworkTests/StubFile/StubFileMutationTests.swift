import Foundation
import Testing

@testable import StubbornNetwork

/// Feeds mutated files to this library, read whole and through a window, and to Foundation's decoder: what Foundation
/// takes as an array of stubs is taken here too, with the same values, and nothing traps.
///
/// Only repeated keys, trailing commas, and notes that are not JSON are refused here alone.
///
/// `STUB_MUTANTS=1000000 swift test --filter StubFileMutationTests` makes more of them than usual, other ones each time.
struct StubFileMutationTests {
    private let reading = StubFileReading()

    private static let more = ProcessInfo.processInfo.environment["STUB_MUTANTS"].flatMap { Int($0) }

    private func generator(_ seed: UInt64) -> Generator {
        Generator(seed: Self.more == nil ? seed : UInt64.random(in: .min ... .max))
    }

    @Test func `a mutated file is accepted if Foundation accepts it, with the same values`() throws {
        var generator = generator(2026)
        var accepted = 0
        let count = Self.more ?? 4_000
        for _ in 0..<count {
            let mutant = try Self.mutant(of: Self.seeds.map { Data($0.utf8) }, &generator)
            let outcome = reading.outcome(of: mutant)
            if outcome.isStricter { continue }
            let ours = outcome.stubs
            let theirs = FoundationStub.stubs(in: mutant)
            if theirs != nil { accepted += 1 }
            #expect(ours == theirs, "\(String(decoding: mutant, as: UTF8.self).debugDescription)")
        }
        #expect(accepted > count / 12)
    }

    @Test func `mutated corpus files are read as Foundation reads them, and errors name the place`() throws {
        var generator = generator(2027)
        let seeds = try Corpus.files.map { try Data(contentsOf: $0) }
        var accepted = 0
        let count = Self.more ?? 4_000
        for _ in 0..<count {
            let mutant = try Self.mutant(of: seeds, &generator)
            let ours = reading.outcome(of: mutant)
            // Foundation reads UTF-16 and UTF-32 too.
            guard !mutant.prefix(2).contains(0), !mutant.prefix(2).contains(0xFF) else { continue }
            if !ours.isStricter, FoundationStub.knowsAllKeys(of: mutant), let theirs = FoundationStub.stubs(in: mutant)
            {
                accepted += 1
                #expect(ours.stubs == theirs, "\(String(decoding: mutant, as: UTF8.self).debugDescription)")
            }
        }
        #expect(accepted > count / 40)
    }

    @Test func `no truncated file is accepted, and each error names the file`() throws {
        let whole = Data(Self.seeds[1].utf8)
        for count in whole.indices.dropLast() where whole[..<count].last != UInt8(ascii: "]") {
            let error = #expect(throws: StubbornNetworkError.self) { try StubFileDocument(whole[..<count]) }
            #expect(error?.message.hasPrefix("Stubs/Login.json:") == true)
        }
    }

    private static let seeds = [
        #"""
        [ {"data":"YWJj","request":{"headerFields":["A[:::]b"],"method":"GET","requestData":null,"url":"http:\/\/a.example\/b"},
        "response":{"statusCode":200,"headerFields":["C[:::]d","É\u00e9[:::]\ud83d\ude00"],"url":"http://b/"},"x-a":[1,{"y":-0.5e+3}]} ]
        """#,
        StubFileDocumentTests.example,
        #"[{"request":{"method":"PUT","url":"http://a","requestData":""},"response":{},"error":{"domain":"D","code":-1,"description":"d"}},{"request":{"method":"GET","url":"http://b/ü"},"response":{"statusCode":2e2,"responseData":"//4="}}]"#,
    ]

    private static let pieces =
        [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "true", "false", "0", "1", "-", ".", "e", "E+2", " ",
            "\n",
            "\u{0}", "\u{1}", "\u{1F}", "\u{FEFF}", "\\u0041", "\\ud83d", "\\ude00", "\\/", "\\n", "\\x", "\\u123\\",
            "=", "é", "{}", "[]",
            "\"data\":null,", "\"statusCode\":404,", "\"data\":\"eA==\",", "\"method\":\"A\",", "\"x-z\":01,",
            "\"x-z\":\"\\ud800\",", "200", "999999999999999999999", "1e400", "1.0", "[:::]",
        ].map { Data($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0x00, 0x5B]].map { Data($0) }

    private static func mutant(of seeds: [Data], _ generator: inout Generator) throws -> Data {
        var data = seeds[Int.random(in: seeds.indices, using: &generator)]
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let start = Int.random(in: 0...data.count, using: &generator)
            let end = min(data.count, start + Int.random(in: 0...3, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: data.replaceSubrange(start..<end, with: Data())
            case 1: data.replaceSubrange(start..<end, with: Data(data[start..<end]) + Data(data[start..<end]))
            case 2:
                let from = Int.random(in: 0...data.count, using: &generator)
                let to = min(data.count, from + Int.random(in: 0...40, using: &generator))
                data.insert(contentsOf: Data(data[from..<to]), at: start)
            case 3: data.replaceSubrange(start..<end, with: pieces[Int.random(in: pieces.indices, using: &generator)])
            default: data.insert(contentsOf: pieces[Int.random(in: pieces.indices, using: &generator)], at: start)
            }
        }
        return data
    }
}
