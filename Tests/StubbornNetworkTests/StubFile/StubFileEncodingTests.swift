import Foundation
import Testing

@testable import StubbornNetwork

struct StubFileEncodingTests {
    private static let marks: [String.Encoding: [UInt8]] = [
        .utf8: [0xEF, 0xBB, 0xBF], .utf16LittleEndian: [0xFF, 0xFE], .utf16BigEndian: [0xFE, 0xFF],
        .utf32LittleEndian: [0xFF, 0xFE, 0, 0], .utf32BigEndian: [0, 0, 0xFE, 0xFF],
    ]

    @Test(arguments: marks.keys.sorted { $0.rawValue < $1.rawValue }, [false, true])
    func `a text is read in each encoding, with a mark and without`(encoding: String.Encoding, hasMark: Bool) throws {
        let text = #"[{"name":"Zoë 😀"}]"#
        let mark = hasMark ? Self.marks[encoding] ?? [] : []
        let data = Data(mark) + (try #require(text.data(using: encoding)))
        #expect(try StubFileEncoding.utf8(data) == Data(text.utf8))
        #expect(StubFileEncoding.startOfUTF8(data.prefix(4)) == (encoding == .utf8 ? mark.count : nil))
    }

    @Test(arguments: ["", "[", "[]", "[ ]", "{}\n"])
    func `short texts are UTF-8`(text: String) throws {
        #expect(try StubFileEncoding.utf8(Data(text.utf8)) == Data(text.utf8))
        #expect(StubFileEncoding.startOfUTF8(Data(text.utf8)) == 0)
    }

    @Test(arguments: [[0xFF, 0xFE, 0x00, 0xD8], [0x00, 0x00, 0xFE, 0xFF, 0x00, 0x11, 0x00, 0x00]] as [[UInt8]])
    func `bytes that only look like an encoding are an error`(bytes: [UInt8]) {
        #expect(throws: JSONSyntaxError.self) { try StubFileEncoding.utf8(Data(bytes)) }
    }
}
