import Foundation
import Testing

@testable import StubbornNetwork

/// Reading binary property lists as JSON, and writing them back.
struct BinaryPropertyListTests {
    private static func text(_ data: [UInt8]) -> (json: String, isWhole: Bool)? {
        data.withUnsafeBufferPointer { bytes in
            BinaryPropertyList(bytes).map { (String(decoding: $0.json, as: UTF8.self), $0.isWhole) }
        }
    }

    @Test(
        arguments: [
            (0, 2, 0x0102), (3, 1, 4), (0, 4, 0x0102_0304), (-1, 1, nil), (4, 1, nil), (3, 2, nil), (0, 5, nil),
        ] as [(Int, Int, UInt64?)]
    )
    func `a number is read only inside the bytes`(start: Int, count: Int, expected: UInt64?) {
        #expect([1, 2, 3, 4].withUnsafeBufferPointer { $0.number(at: start, count: count) } == expected)
    }

    @Test(arguments: [(7, false), (8, true), (9, false), (200, false)] as [(UInt8, Bool)])
    func `an object lies between the beginning and the table of offsets`(offset: UInt8, isWhole: Bool) {
        func number(_ value: UInt8) -> [UInt8] { Array(repeating: 0, count: 7) + [value] }
        // Nine is the object `true`, and where the table begins.
        let list = Array("bplist00".utf8) + [9, offset] + [0, 0, 0, 0, 0, 0, 1, 1] + number(1) + number(0) + number(9)
        #expect(Self.text(list)?.isWhole == isWhole)
        if isWhole { #expect(Self.text(list)?.json == "true") }
    }

    @Test func `binary property lists are read as JSON, with texts in UTF-16 and shared objects`() throws {
        let list: [Any] = [
            ["ключ": "Zoë", "data": Data([0xFF, 0])], "same", "same", -7, 1.5, true,
            Date(timeIntervalSinceReferenceDate: 2),
            String(repeating: "x", count: 300), Int64.max,
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let (json, isWhole) = try #require(Self.text(Array(data)))
        let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Any]
        #expect(isWhole)
        #expect(read?.first as? [String: String] == ["ключ": "Zoë", "data": "/wA="])
        #expect(read?.dropFirst().prefix(2).map { $0 as? String } == ["same", "same"])
        #expect(read?.dropFirst(3).prefix(4).map { ($0 as? NSNumber)?.doubleValue } == [-7, 1.5, 1, 2])
        #expect((read?[7] as? String)?.count == 300)
        #expect(json.hasSuffix("9223372036854775807]"))
    }

    @Test func `what is changed in the JSON is changed in the list, with its length`() throws {
        func document(_ first: String, _ second: String, _ number: Int, _ bytes: [UInt8]) -> BinaryValue {
            .map([("a", .list([.text(first), .text("–"), .number(number), .bytes(bytes)])), ("b", .text(second))])
        }
        let long = String(repeating: "y", count: 70_000)
        for (first, second, number) in [
            ("", "z", 7), ("é\"\\", long, 300), (String(repeating: "w", count: 40), "", -5),
        ] {
            let old = document("old", "text", 1234, [0xFF, 1, 2]).propertyList
            let written = try #require(
                old.withBytes { bytes -> [UInt8]? in
                    let list = BinaryPropertyList(bytes)
                    let json = list.map { String(decoding: $0.json, as: UTF8.self) }?
                        .replacingOccurrences(of: "\"old\"", with: "\"\(PlantedExchange.json(first))\"")
                        .replacingOccurrences(of: "\"text\"", with: "\"\(second)\"")
                        .replacingOccurrences(of: "1234", with: "\(number)")
                        .replacingOccurrences(of: "/wEC", with: "/gM=")
                    return json.flatMap { list?.document(Array($0.utf8)) }
                }
            )
            let read = try PropertyListSerialization.propertyList(from: Data(written), options: [], format: nil)
            let dictionary = try #require(read as? [String: Any])
            let list = try #require(dictionary["a"] as? [Any])
            #expect(dictionary["b"] as? String == second)
            #expect(list[0] as? String == first && list[1] as? String == "–")
            #expect((list[2] as? NSNumber)?.intValue == number && list[3] as? Data == Data([0xFE, 3]))
        }
    }

    @Test func `cyclic and endless property lists are refused`() throws {
        /// A property list with these objects, of which the first is the whole.
        func list(_ objects: [[UInt8]]) -> [UInt8] {
            var bytes = Array("bplist00".utf8)
            var offsets: [UInt8] = []
            for object in objects {
                offsets += BinaryValue.bigEndian(UInt64(bytes.count), 4)
                bytes += object
            }
            let sizes = [UInt64(objects.count), 0, UInt64(bytes.count)].flatMap { BinaryValue.bigEndian($0, 8) }
            return bytes + offsets + [0, 0, 0, 0, 0, 0, 4, 1] + sizes
        }
        #expect(Self.text(list([[0xA1, 1], [0x51, 0x61]]))?.json == #"["a"]"#)
        #expect(Self.text(list([[0xA1, 0]]))?.isWhole == false)
        #expect(Self.text(list([[0xA1, 9]]))?.isWhole == false)
        // Each object twice in the one before it: 2 to the power of 200 texts.
        let doubled = (0..<200).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] as [UInt8] } + [[0x51, 0x61]]
        let (json, isWhole) = try #require(Self.text(list(doubled)))
        #expect(!isWhole && json.utf8.count < 4 << 20)
    }

    @Test func `damaged lists do not crash`() {
        var generator = Generator(seed: 15)
        for _ in 0..<3_000 {
            var secrets: [String] = []
            var bytes = Array(GeneratedBinary.value(depth: 3, &secrets, &generator).propertyList)
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator)) }
            bytes.withUnsafeBufferPointer { bytes in
                guard let list = BinaryPropertyList(bytes) else { return }
                #expect(list.document(list.json) == Array(bytes))
                let changed = String(decoding: list.json, as: UTF8.self).replacingOccurrences(
                    of: "\"a",
                    with: "\"longer"
                )
                _ = list.document(Array(changed.utf8))
            }
        }
    }
}
