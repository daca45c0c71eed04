import Foundation

/// The words of the requests and the responses of a run, which tell whether code uses a volatile value.
///
/// A value of a response is in use if a later request carries it. A value of a request is in use if an earlier response gave
/// it; otherwise the client made it, and makes another one in each run.
struct RunWords {
    /// The largest body that is searched, in bytes.
    private static let maximumByteCount = 64 << 10
    /// The number of characters of the shortest word that counts.
    private static let minimumCount = 4

    /// The index of the last request, and of the first response, that has a word.
    private let known: Lock<(last: [Substring: Int], first: [Substring: Int])?> = Lock(nil)
    private let stubs: [Stub]

    init(_ stubs: [Stub]) {
        self.stubs = stubs
    }

    /// Returns a Boolean value that indicates whether one of the requests after an index has all words of a value.
    func isCarried(_ value: String, after index: Int) -> Bool {
        let words = Self.words(of: value)
        return !words.isEmpty && read { known in words.allSatisfy { (known.last[$0] ?? -1) > index } }
    }

    /// Returns a Boolean value that indicates whether responses before an index have all words of a value.
    func isGiven(_ value: String, before index: Int) -> Bool {
        let words = Self.words(of: value)
        return !words.isEmpty && read { known in words.allSatisfy { (known.first[$0] ?? .max) < index } }
    }

    /// Reads the stubs at the first call: most runs equal the run before, and need no call.
    private func read(_ body: ((last: [Substring: Int], first: [Substring: Int])) -> Bool) -> Bool {
        known.withLock { known in
            if let known { return body(known) }
            var words: (last: [Substring: Int], first: [Substring: Int]) = ([:], [:])
            for (index, stub) in stubs.enumerated() {
                let url = stub.request.url.absoluteString
                let asked =
                    [url, PercentEncoding.decoded(url)] + Self.texts(stub.request.headerFields, stub.request.body)
                for word in asked.flatMap(Self.words) { words.last[word] = index }
                let given = Self.texts(stub.response.head?.headerFields ?? [:], try? stub.response.body)
                for word in given.flatMap(Self.words) where words.first[word] == nil { words.first[word] = index }
            }
            known = words
            return body(words)
        }
    }

    private static func texts(_ fields: HeaderFields, _ body: Data?) -> [String] {
        var texts = fields.map(\.value)
        if let body, body.count <= maximumByteCount { texts.append(String(decoding: body, as: UTF8.self)) }
        return texts
    }

    private static func words(of text: String) -> [Substring] {
        text.split { !($0.isLetter || $0.isNumber || "-_.~".contains($0)) }.filter { $0.utf8.count >= minimumCount }
    }
}
