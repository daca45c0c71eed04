import Foundation

/// Multipart bodies without their boundaries, which clients make anew for each request.
enum MultipartBody {
    /// The parts between the boundaries, header fields and all (RFC 2046, section 5.1); `nil` when the boundary does not
    /// stand in the body.
    static func parts(of data: Data, boundary: String) -> [BodyBytes]? {
        guard !boundary.isEmpty else { return nil }
        let delimiter = Data("--\(boundary)".utf8)
        var parts: [BodyBytes] = []
        var start: Int?
        var from = data.startIndex
        while let found = data.range(of: delimiter, in: from..<data.endIndex) {
            from = found.upperBound
            guard isAtLineStart(found.lowerBound, of: data), endsThere(found.upperBound, in: data) else { continue }
            if let start { parts.append(BodyBytes(trimmed(data[start..<max(start, found.lowerBound)]))) }
            start = found.upperBound
            if data[found.upperBound...].starts(with: Data("--".utf8)) { return parts }
        }
        guard let start else { return nil }
        return parts + [BodyBytes(trimmed(data[start...]))]
    }

    private static func isAtLineStart(_ index: Int, of data: Data) -> Bool {
        index == data.startIndex || data[index - 1] == 0x0A
    }

    // A boundary may be the beginning of another, as those of nested parts often are.
    private static func endsThere(_ index: Int, in data: Data) -> Bool {
        let next = data[index...].prefix(2)
        return next.first.map { [0x0D, 0x0A, 0x20, 0x09].contains($0) } ?? true || next.elementsEqual("--".utf8)
    }

    // The line breaks around a part belong to the boundaries.
    private static func trimmed(_ part: Data) -> Data {
        var part = part
        for ending in [Data("\r\n".utf8), Data("\n".utf8)] where part.starts(with: ending) {
            part = part.dropFirst(ending.count)
            break
        }
        for ending in [Data("\r\n".utf8), Data("\n".utf8)] where part.suffix(ending.count) == ending {
            part = part.dropLast(ending.count)
            break
        }
        return Data(part)
    }

    /// A part's header fields and its content.
    static func split(_ part: Data) -> (head: Data, content: Data) {
        let part = Data("\r\n".utf8) + part
        guard let end = part.range(of: Data("\r\n\r\n".utf8)) else { return (Data(), Data(part.dropFirst(2))) }
        return (Data(part[..<end.lowerBound]), Data(part[end.upperBound...]))
    }
}
