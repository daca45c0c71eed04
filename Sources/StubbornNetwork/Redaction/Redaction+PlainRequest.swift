import Foundation

extension Redaction {
    /// Returns a Boolean value that indicates whether no rule can find anything in a request, without searching it.
    ///
    /// Such a request has neither header fields nor body. Its URL has no query, and consists of small letters and
    /// digits in words that are too short for a token.
    ///
    /// Most requests of most tests are like this. `false` means that the request has to be searched.
    func plainlyHasNothing(in request: StubRequest) -> Bool {
        guard request.body == nil, request.headerFields.isEmpty, patterns.isEmpty, knownValues.isEmpty else {
            return false
        }
        var text = request.url.absoluteString
        return text.withUTF8 { bytes in
            var wordLength = 0
            // Of letters and digits alone.
            var partLength = 0
            var digitCount = 0
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    wordLength += 1
                    partLength += 1
                    digitCount += byte <= UInt8(ascii: "9") ? 1 : 0
                case UInt8(ascii: "-"), UInt8(ascii: "_"):
                    wordLength += 1
                    (partLength, digitCount) = (0, 0)
                case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: ":"):
                    (wordLength, partLength, digitCount) = (0, 0, 0)
                default:
                    return false
                }
                // A token, by its length; or what may be one where a name before it says so.
                if wordLength == Self.shortestToken || (digitCount > 1 && partLength > 5)
                    || (digitCount > 1 && digitCount < partLength && partLength > 4)
                {
                    return false
                }
            }
            // The paths of its webhooks are secrets.
            return bytes.position(of: "slack", from: 0) == nil
        }
    }

    /// The number of letters, digits, `-` and `_` in a row that every secret known by its looks has at least.
    private static let shortestToken = 15
}
