import Foundation

/// The stubs of one recorded conversation, in which each value that differs in every recording is replaced by its
/// class.
///
/// Two recordings have the same content if their normal forms are equal. Each form is made from a single recording:
///
/// | Text | Form | Unchanged |
/// |---|---|---|
/// | A word that looks random | `#uuid`, `#hex32`, `msg_#rand24` | `claude-3-7-sonnet-20250219`, numbers, base64 of an image |
/// | An id: a word of a response that a later request sends | `#id` | A word that a request sends first |
/// | Any whole value under a key path that has such an id | `#id` | `"state": "open"` under that path |
/// | A number in a text that is an id which the same request sends | `order #id not found` | `12 items` |
/// | A time near to the recording | `#iso.3Z`, `#rfc`, `#epoch`, `#epochms` | `1969-07-20T20:17:40Z` |
/// | The header and the claims of a JSON Web Token | `{"sub":"ann","iat":#epoch}.#rand43` | `"sub":"ann"` |
/// | A volatile header field, an id of a request or a trace by its name, and what settings or matchers ignore | no value | `"price": 5` |
/// | A placeholder | `#secret` | |
///
/// The class includes the format, so a different type, sign, unit, zone or length is a difference.
@_spi(Tools) public struct NormalForm: Sendable {
    let stubs: [Stub]
    private let rules: MergeRules
    /// A reader that knows the names in the stubs.
    private var reader: NormalFormReader
    /// The forms of the requests, in the order of the stubs.
    package private(set) var requests: [Message] = []

    /// The ids: words of responses that a later request sends.
    private(set) var ids: Set<String> = []
    /// The ids in the request of each stub, and those in the request or in the response.
    private(set) var idsOfStubs: [(sent: Set<String>, all: Set<String>)] = []
    /// The key paths under which ids are whole values.
    private var idPaths: Set<Int> = []
    /// The range of times that count as near the recording; `nil` if its date is not known.
    private var window: ClosedRange<Double>?
    /// The times that are data in the recording with which this one is compared, in seconds since 1970.
    ///
    /// They are data here too.
    private let otherTimes: Set<Double>

    /// The form of a request or a response.
    package struct Message: Hashable, Sendable {
        /// The method; or the status and the error.
        package var head = ""
        package var url = ""
        package var fields: [String: [String]] = [:]
        package var body = JSONValue.null
        /// A Boolean value that indicates whether the client cancelled a stream, at a place that differs each time.
        var isCancelled = false

        /// Returns a Boolean value that indicates whether the bodies of two cancelled responses have the same content, as far as
        /// both have it.
        fileprivate func hasSameBeginning(as other: Self, isStream: Bool) -> Bool {
            switch (body.content, other.body.content) {
            // The last event may be cut off.
            case (.array(let events), .array(let others)) where isStream:
                zip(events, others).dropLast().allSatisfy { $0 == $1 }
            case (.string(let text), .string(let otherText)): text.hasPrefix(otherText) || otherText.hasPrefix(text)
            // JSON that was cut off is a string.
            case (.object, .object), (.array, .array): body == other.body
            default: true
            }
        }
    }

    /// Creates the normal form of a conversation's stubs.
    package init(_ stubs: [Stub], _ rules: MergeRules, otherTimes: Set<Double> = []) {
        (self.stubs, self.rules, self.otherTimes) = (stubs, rules, otherTimes)
        window = Self.window(of: stubs)
        reader = NormalFormReader(rules)
        var reader = reader
        findIDs(&reader)
        requests = stubs.map { reader.read($0.request) { form($0) } }
        self.reader = reader
    }

    /// Returns the form of the response of the stub at an index.
    package func response(at index: Int) -> Message {
        var (reader, response) = (reader, head(at: index))
        response.body = reader.readBody(stubs[index]) { form($0, inResponseAt: index) }
        return response
    }

    /// Returns the form of the response of the stub at an index, without its body.
    private func head(at index: Int) -> Message {
        var reader = reader
        return reader.readHead(stubs[index]) { form($0, inResponseAt: index) }
    }

    /// Returns the texts that are compared in the body of the response of a stub, and the rest of the body.
    private func texts(at index: Int) -> (texts: [NormalFormText], rest: JSONValue) {
        var (reader, texts) = (reader, [NormalFormText]())
        let rest = reader.readBody(stubs[index]) { text in
            if text.isCompared { texts.append(text) }
            return ""
        }
        return (texts, rest)
    }

    // MARK: Ids

    /// Finds the words that may be ids in requests.
    ///
    /// - Returns: The words that an earlier response may give, with the index of the first request that sends each.
    private mutating func findSent(_ reader: inout NormalFormReader) -> [String: Int] {
        var firstSenders: [String: Int] = [:]
        for (index, stub) in stubs.enumerated() {
            var sent: Set<String> = []
            _ = reader.read(stub.request) { text in
                sent.formUnion(text.possibleIDs(needingDigit: false, isNear: { isNear($0) }))
                return ""
            }
            for word in sent where firstSenders[word] == nil { firstSenders[word] = index }
            idsOfStubs.append((sent, sent))
        }
        return firstSenders.filter { word, sender in
            sender > 0 && (reader.hasVolatilePaths || word.utf8.contains { $0.isDigit })
        }
    }

    private mutating func findIDs(_ reader: inout NormalFormReader) {
        let firstSenders = findSent(&reader)
        let (words, lastSender) = (WordSearch(firstSenders.keys), firstSenders.values.max() ?? 0)
        for (index, stub) in stubs.enumerated() where index < lastSender || !ids.isEmpty {
            let findGiven = { (text: NormalFormText) in
                for word in text.possibleIDs(needingDigit: true, isNear: { isNear($0) }) {
                    guard let sender = firstSenders[word] else { continue }
                    idsOfStubs[index].all.insert(word)
                    if sender > index { ids.insert(word) }
                    if let path = text.path, word == text.value, ids.contains(word) { idPaths.insert(path) }
                }
                return ""
            }
            _ = reader.readHead(stub, findGiven)
            if words.mayBe(in: stub.response) { _ = reader.readBody(stub, findGiven) }
        }
        idsOfStubs = idsOfStubs.map { ($0.sent.intersection(ids), $0.all.intersection(ids)) }
    }

    // MARK: Texts

    /// Returns the form of the request at an index without its header fields, in which only ids and placeholders have
    /// classes.
    ///
    /// Requests with the same one are answered by the same stub.
    func sent(at index: Int) -> Message {
        var reader = reader
        var message = reader.read(stubs[index].request) { form($0, keepsOwn: true) }
        message.fields = [:]
        return message
    }

    /// Returns the form of a text.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - sent: the ids that the request of a response sends.
    ///   - keepsOwn: whether words and times that are not ids stay as they are.
    /// - Returns: the text with classes in it.
    private func form(_ text: NormalFormText, echoing sent: Set<String> = [], keepsOwn: Bool = false) -> String {
        text.value.withBytes { bytes in
            let parts = text.parts(of: bytes) { keepsOwn ? false : isNear($0) }
            if let path = text.path, idPaths.contains(path), text.isID { return "#id" }
            var edits = parts.tokens.map { Edit(range: $0, text: Array(form(ofToken: bytes.part($0)).utf8)) }
            edits += parts.made
            for range in parts.words {
                let word = bytes.part(range)
                let mayBeID = text.mayBeID(range, in: bytes, needingDigit: false) && ids.contains(word.text)
                let isEcho = word.count < bytes.count && sent.contains(word.text)
                let random = keepsOwn ? nil : MadeText.random(word)
                guard let form = mayBeID || isEcho ? random ?? "#id" : random else { continue }
                edits.append(Edit(range: range, text: Array(form.utf8)))
            }
            return Edit.apply(edits, to: bytes).map { String(decoding: $0, as: UTF8.self) } ?? text.value
        }
    }

    private func form(_ text: NormalFormText, inResponseAt index: Int) -> String {
        form(text, echoing: idsOfStubs[index].sent)
    }

    /// Returns the form of a JSON Web Token, in which the header and the claims are JSON.
    private func form(ofToken token: Bytes) -> String {
        token.parts(of: 0..<token.count, separatedBy: .dot).map { range in
            let part = token.part(range)
            if Placeholder.isIn(part) { return "#secret" }
            let json = Base64.decoded(part).map { String(decoding: $0, as: UTF8.self) } ?? ""
            return json.hasPrefix("{") ? form(NormalFormText(value: json)) : MadeText.random(part) ?? part.text
        }
        .joined(separator: ".")
    }

    /// The days before and after a recording; times within them count as generated during the recording.
    private static let (daysBefore, daysAfter) = (2.0, 32.0)

    /// Returns a Boolean value that indicates whether a time counts as generated during the recording.
    ///
    /// A time that is data in the other recording does not. For example, the date of an order is the same in a recording of that
    /// day and in one of the next year, and the `Date` field is not.
    private func isNear(_ seconds: Double) -> Bool {
        window?.contains(seconds) == true && !otherTimes.contains(seconds)
    }

    /// Returns the times in the stubs of a recording that are not near it, in seconds since 1970.
    static func farTimes(in stubs: [Stub]) -> Set<Double> {
        let window = window(of: stubs)
        return stubs.flatMap(\.texts).reduce(into: []) { times, text in
            let found = text.data.withBytes(MadeText.times).map(\.seconds)
            times.formUnion(found.filter { window?.contains($0) != true })
        }
    }

    private static func window(of stubs: [Stub]) -> ClosedRange<Double>? {
        let dates = stubs.compactMap { stub in
            stub.response.head?.headerFields["Date"]?.withBytes(MadeText.times).first?.seconds
        }
        let times = dates.isEmpty ? stubs.compactMap { $0.recordedAt?.timeIntervalSince1970 } : dates
        guard let first = times.min(), let last = times.max() else { return nil }
        return first - daysBefore * 86_400...last + daysAfter * 86_400
    }
}

/// A search that tells which bodies have none of some words, so that most of them are not read.
private struct WordSearch {
    private var long = ValueFinder()
    private let short: [[UInt8]]
    /// The largest number of short words that are searched for: each takes a pass through every body, and reading takes one.
    private static let mostShortWords = 32
    /// A Boolean value that indicates whether no format has escapes in the words, and few of them are short.
    private let isUsed: Bool

    init(_ words: some Sequence<String>) {
        let words = words.map { Array($0.utf8) }
        short = words.filter { $0.count < ValueFinder.minimumByteCount }
        isUsed = short.count > Self.mostShortWords ? false : words.joined().allSatisfy { $0 < 0x80 }
        for word in words { long.insert(ValueFinder.Pattern(bytes: word, value: word)) }
    }

    func mayBe(in response: StubResponse) -> Bool {
        // Frames of a web socket may be base64.
        guard let body = response.body, isUsed, response.head?.statusCode != 101 else { return true }
        return body.withBytes { bytes in
            !long.hits(in: bytes).isEmpty || short.contains { bytes.position(of: $0, from: 0) != nil }
        }
    }
}

// MARK: - Comparing

extension NormalForm {
    /// Returns a Boolean value that indicates whether the stubs at two indices have the same content.
    func isSame(_ index: Int, as other: Self, at otherIndex: Int) -> Bool {
        requests[index] == other.requests[otherIndex] ? hasSameResponse(index, as: other, at: otherIndex) : false
    }

    /// Returns a Boolean value that indicates whether the responses of the stubs at two indices have the same content.
    ///
    /// Bodies, whose forms take most of the time, are read only if the rest is the same. A text that is the same in both needs no
    /// form, unless it may have an id, whose meaning may differ.
    func hasSameResponse(_ index: Int, as other: Self, at otherIndex: Int) -> Bool {
        let (head, otherHead) = (head(at: index), other.head(at: otherIndex))
        guard head == otherHead else { return false }
        if head.isCancelled {
            let isStream = stubs[index].response.isStream
            return response(at: index).hasSameBeginning(as: other.response(at: otherIndex), isStream: isStream)
        }
        let hasIDs = ![idsOfStubs[index], other.idsOfStubs[otherIndex]].allSatisfy(\.all.isEmpty)
        if !hasIDs, let body = stubs[index].response.body, body == other.stubs[otherIndex].response.body { return true }
        let (own, others) = (texts(at: index), other.texts(at: otherIndex))
        guard own.rest == others.rest, own.texts.count == others.texts.count else { return false }
        return zip(own.texts, others.texts).allSatisfy { text, otherText in
            if !hasIDs, text.value == otherText.value { return true }
            return form(text, inResponseAt: index) == other.form(otherText, inResponseAt: otherIndex)
        }
    }

    /// Returns the key by which the stub at an index is paired with a stub of another recording.
    func key(at index: Int) -> UInt64 {
        var request = requests[index]
        if !rules.comparesHeaderFields { request.fields = [:] }
        return UInt64(bitPattern: Int64(request.hashValue))
    }

    var keys: [UInt64] { requests.indices.map(key) }
}

extension StubResponse {
    /// A Boolean value that indicates whether the client gets the body part by part, so that its last part may be cut off.
    fileprivate var isStream: Bool {
        head?.statusCode == 101 ? true : StreamFormat(head?.headerFields["Content-Type"], body: body) != nil
    }
}
