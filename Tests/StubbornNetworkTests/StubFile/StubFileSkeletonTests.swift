import Foundation
import Testing

@testable import StubbornNetwork

/// A large file is read through a small window, and what is long in it is left out.
struct StubFileSkeletonTests {
    /// The skeleton of a text whose parts from `minimum` bytes on are left out, read in windows of `width` bytes.
    private func skeleton(_ text: String, minimum: Int = 4, width: Int = 16) -> StubFileSkeleton {
        var skeleton = StubFileSkeleton(minimum: minimum)
        let bytes = Array(text.utf8)
        var position = 0
        while position < bytes.count, !skeleton.isFaulty {
            let end = min(position + width, bytes.count)
            position += bytes[position..<end].withUnsafeBytes {
                skeleton.take($0, at: position, isLast: end == bytes.count)
            }
        }
        return skeleton
    }

    @Test(arguments: [
        (#"["abc"]"#, #"["abc"]"#),
        (#"["abcd"]"#, #"[""]"#),
        (#"["abcd","","abc","abcdefghijklmnopqrstuvwxyz0123456789"]"#, #"["","","abc",""]"#),
        (#"["ab\"cd\\","\u00e9é"]"#, #"["",""]"#),
        (#"["never ended, and long"#, #"[""#),
        (#"["abcdefghijklmnop\u12"]"#, #"["\u12"]"#),
        (#"["abcdefghijklmnop\"#, #"[""#),
    ])
    func `what is long is left out, whatever the window`(text: String, expected: String) {
        for width in [8, 9, 10, 11, 12, 13, 16, 31, 1000] {
            #expect(String(decoding: skeleton(text, width: width).bytes, as: UTF8.self) == expected, "\(width)")
        }
    }

    @Test(arguments: [
        ("[1,     \n\n  2]", "[1, 2]"),
        ("[1,   2]", "[1,   2]"),
        ("                                                  ", " "),
        (#"["          " ,\#n\#n\#n\#n\#n\#n\#n]"#, "[\"\" ,\n]"),
    ])
    func `long white space becomes one character`(text: String, expected: String) {
        #expect(String(decoding: skeleton(text, width: 1000).bytes, as: UTF8.self) == expected)
        #expect(skeleton(text, width: 16).bytes.count <= expected.utf8.count + text.utf8.count / 4)
    }

    @Test(arguments: 8...20)
    func `every byte that is left has its place in the text`(width: Int) {
        let text = #"  [ "a" ,       "bcdefghijk\"lm\u00e9nopqrstuvwxyz" :"x", {"abcdefgh":     7   }] "#
        let bytes = Array(text.utf8)
        let skeleton = skeleton(text, width: width)
        #expect(skeleton.cuts.count >= 2)
        for (position, byte) in skeleton.bytes.enumerated() {
            #expect(bytes[skeleton.offset(of: position)] == byte)
        }
        #expect(skeleton.offset(of: skeleton.bytes.count) == bytes.count)
    }
}
