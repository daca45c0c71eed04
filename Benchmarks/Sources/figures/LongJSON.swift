import Foundation

/// Long bodies of JSON, as servers send them.
enum LongJSON {
    /// A list of 1 MB, with strings, addresses, times and checksums.
    static let data: Data = {
        var random = SystemRandomNumberGenerator()
        let items = (0..<2_500).map { number -> String in
            let checksum = (0..<3).map { _ in String(random.next(), radix: 16) }.joined()
            return """
                {"id":\(number),"sha":"\(checksum)","url":"\(StubFile.url(of: number).absoluteString)?page=2&lang=de",\
                "title":"The quick brown fox jumps over the lazy dog","price":\(number % 97).5,"tags":["red","blue"],\
                "created_at":"2026-01-05T10:00:00Z","active":true,\
                "description":"Pack my box with five dozen liquor jugs.\\nHow vexingly quick daft zebras jump: by bus, by train"}
                """
        }
        return Data("{\"items\":[\(items.joined(separator: ","))]}".utf8)
    }()

    /// An object with one file in base64, 1.3 MB long.
    static let base64: Data = {
        var random = SystemRandomNumberGenerator()
        let words = (0..<122_000).map { _ in random.next() }
        let file = words.withUnsafeBytes { Data($0) }
        return Data(#"{"name":"report.bin","file":"\#(file.base64EncodedString())"}"#.utf8)
    }()
}
