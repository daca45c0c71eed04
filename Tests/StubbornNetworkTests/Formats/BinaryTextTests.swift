import Foundation
import Testing

@testable import StubbornNetwork

/// What the readers of CBOR, MessagePack and binary property lists find, and what they write back.
struct BinaryTextTests {
    private static func text(_ data: [UInt8], _ type: String) -> (json: String, isWhole: Bool)? {
        data.withUnsafeBufferPointer { bytes in
            BinaryText(bytes, type: type).map { (String(decoding: $0.json, as: UTF8.self), $0.isWhole) }
        }
    }

    /// The examples of RFC 8949, appendix A, in an array each, and others.
    @Test(arguments: [
        ("8100", "[0]"), ("811817", "[23]"), ("811A000F4240", "[1000000]"),
        ("811BFFFFFFFFFFFFFFFF", "[18446744073709551615]"),
        ("8120", "[-1]"), ("813863", "[-100]"), ("81FA47C35000", "[100000.0]"), ("81FB3FF199999999999A", "[1.1]"),
        ("81F97C00", "[31744]"), ("81FA7F800000", "[null]"), ("84F4F5F6F7", "[false,true,null,null]"),
        ("81C074323031332D30332D32315432303A30343A30305A", #"["2013-03-21T20:04:00Z"]"#),
        ("81D818456449455446", #"["dIETF"]"#), ("8144FF020304", #"["/wIDBA=="]"#), ("8160", #"[""]"#),
        ("8162225C", #"["\"\\"]"#), ("8164F0908591", #"["𐅑"]"#), ("A26161016162820203", #"{"a":1,"b":[2,3]}"#),
        ("A201020304", #"{"1":2,"3":4}"#), ("9F018202039F0405FFFF", "[1,[2,3],[4,5]]"),
        ("BF61610161629F0203FFFF", #"{"a":1,"b":[2,3]}"#), ("817F657374726561646D696E67FF", #"[["strea","ming"]]"#),
        ("A16161F6816162", "{\"a\":null}\n[\"b\"]"), ("A16161656162", #"{"a":"ab"}"#),
    ])
    func `CBOR is read as JSON`(hex: String, expected: String) {
        let (json, _) = Self.text(Self.bytes(hex), "application/cbor") ?? ("none", false)
        #expect(json.hasPrefix(expected))
    }

    @Test(arguments: [
        ("93007FE0", "[0,127,-32]"), ("94CCFFCDFFFFCE00010000CF0000000100000000", "[255,65535,65536,4294967296]"),
        ("94D0FFD1FFFED2FFFFFFFDD3FFFFFFFFFFFFFFFC", "[-1,-2,-3,-4]"), ("92CA3FC00000CB3FF8000000000000", "[1.5,1.5]"),
        ("93C0C2C3", "[null,false,true]"), ("94A161D90162DA000163DB0000000164", #"["a","b","c","d"]"#),
        ("93C40161C500016FC60000000164", #"["a","o","d"]"#), ("91C403FF0001", #"["/wAB"]"#),
        ("92DC0001C0DD00000001C3", "[[null],[true]]"), ("92DE0001A16101DF00000001A16202", #"[{"a":1},{"b":2}]"#),
        ("92D40161C7020161 62", #"["a","ab"]"#), ("91D6FF65000000", "[1694498816]"), ("81A16191A162", #"{"a":["b"]}"#),
    ])
    func `MessagePack is read as JSON`(hex: String, expected: String) {
        let (json, isWhole) = Self.text(Self.bytes(hex), "application/msgpack") ?? ("none", false)
        #expect(json == expected && isWhole)
    }

    @Test func `binary property lists are read as JSON, with texts in UTF-16 and shared objects`() throws {
        let list: [Any] = [
            ["ключ": "Zoë", "data": Data([0xFF, 0])], "same", "same", -7, 1.5, true,
            Date(timeIntervalSinceReferenceDate: 2),
            String(repeating: "x", count: 300), Int64.max,
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let (json, isWhole) = try #require(Self.text(Array(data), ""))
        let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Any]
        #expect(isWhole)
        #expect(read?.first as? [String: String] == ["ключ": "Zoë", "data": "/wA="])
        #expect(read?.dropFirst().prefix(2).map { $0 as? String } == ["same", "same"])
        #expect(read?.dropFirst(3).prefix(4).map { ($0 as? NSNumber)?.doubleValue } == [-7, 1.5, 1, 2])
        #expect((read?[7] as? String)?.count == 300)
        #expect(json.hasSuffix("9223372036854775807]"))
    }

    @Test(arguments: BinaryFormat.allCases)
    func `what is changed in the JSON is changed in the document, with its length`(format: BinaryFormat) throws {
        func document(_ first: String, _ second: String, _ number: Int, _ bytes: [UInt8]) -> BinaryValue {
            .map([("a", .list([.text(first), .text("–"), .number(number), .bytes(bytes)])), ("b", .text(second))])
        }
        let long = String(repeating: "y", count: 70_000)
        for (first, second, number) in [
            ("", "z", 7), ("é\"\\", long, 300), (String(repeating: "w", count: 40), "", -5),
        ] {
            let old = format.data(document("old", "text", 1234, [0xFF, 1, 2]))
            let new = document(first, second, number, [0xFE, 3])
            let written = try #require(
                old.withBytes { bytes -> [UInt8]? in
                    let text = BinaryText(bytes, type: format.contentType)
                    let json = text.map { String(decoding: $0.json, as: UTF8.self) }?
                        .replacingOccurrences(of: "\"old\"", with: "\"\(PlantedExchange.json(first))\"")
                        .replacingOccurrences(of: "\"text\"", with: "\"\(second)\"")
                        .replacingOccurrences(of: "1234", with: "\(number)")
                        .replacingOccurrences(of: "/wEC", with: "/gM=")
                    return json.flatMap { text?.document(Array($0.utf8)) }
                }
            )
            if format == .propertyList {
                let read = try PropertyListSerialization.propertyList(from: Data(written), options: [], format: nil)
                let dictionary = try #require(read as? [String: Any])
                let list = try #require(dictionary["a"] as? [Any])
                #expect(dictionary["b"] as? String == second)
                #expect(list[0] as? String == first && list[1] as? String == "–")
                #expect((list[2] as? NSNumber)?.intValue == number && list[3] as? Data == Data([0xFE, 3]))
            } else if number >= 0, number < 128 {
                #expect(Data(written) == format.data(new))
            } else {
                let read = Self.text(written, format.contentType)?.json
                #expect(read == Self.text(Array(format.data(new)), format.contentType)?.json)
            }
        }
    }

    @Test func `cyclic and endless property lists are refused`() throws {
        /// A property list with these objects, of which the first is the whole.
        func list(_ objects: [[UInt8]]) -> [UInt8] {
            var bytes = Array("bplist00".utf8)
            var offsets: [UInt8] = []
            for object in objects {
                offsets += BinaryFormat.bigEndian(UInt64(bytes.count), 4)
                bytes += object
            }
            let sizes = [UInt64(objects.count), 0, UInt64(bytes.count)].flatMap { BinaryFormat.bigEndian($0, 8) }
            return bytes + offsets + [0, 0, 0, 0, 0, 0, 4, 1] + sizes
        }
        #expect(Self.text(list([[0xA1, 1], [0x51, 0x61]]), "")?.json == #"["a"]"#)
        #expect(Self.text(list([[0xA1, 0]]), "")?.isWhole == false)
        #expect(Self.text(list([[0xA1, 9]]), "")?.isWhole == false)
        // Each object twice in the one before it: 2 to the power of 200 texts.
        let doubled = (0..<200).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] as [UInt8] } + [[0x51, 0x61]]
        let (json, isWhole) = try #require(Self.text(list(doubled), ""))
        #expect(!isWhole && json.utf8.count < 4 << 20)
    }

    @Test(arguments: [("81", "application/cbor"), ("91", "application/msgpack")])
    func `lists that are too deep are not read, and need no stack`(list: String, type: String) {
        let deep = Self.text([UInt8](repeating: Self.bytes(list)[0], count: 1_000_000), type)
        #expect(deep?.isWhole == false && deep?.json.utf8.count == 512)
    }

    @Test(arguments: BinaryFormat.allCases)
    func `damaged documents do not crash`(format: BinaryFormat) {
        var generator = Generator(seed: 15)
        for _ in 0..<3_000 {
            var secrets: [String] = []
            var bytes = Array(format.data(GeneratedBinary.value(depth: 3, &secrets, &generator)))
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator)) }
            bytes.withUnsafeBufferPointer { bytes in
                guard let text = BinaryText(bytes, type: format.contentType) else { return }
                #expect(text.document(text.json) == Array(bytes))
                let changed = String(decoding: text.json, as: UTF8.self).replacingOccurrences(
                    of: "\"a",
                    with: "\"longer"
                )
                _ = text.document(Array(changed.utf8))
            }
        }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }
}
