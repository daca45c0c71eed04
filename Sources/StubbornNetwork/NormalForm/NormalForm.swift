import Foundation

/// The stubs of one recorded conversation, in which each value that differs in every recording is replaced by its
/// class.
///
/// Two recordings have the same content if their normal forms are equal. Each form is made from a single recording:
///
/// | Text | Form | Unchanged |
/// |---|---|---|
/// | A word that looks random | `#uuid`, `#hex32`, `msg_#rand24` | `claude-3-7-sonnet-20250219`, numbers |
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
    let rules: MergeRules
    /// The forms of the stubs, in their order.
    private(set) var exchanges: [Exchange] = []

    /// The ids: words of responses that a later request sends.
    private(set) var ids: Set<String> = []
    /// The key paths under which ids are whole values.
    private var idPaths: Set<Int> = []
    /// The range of times that count as near the recording; `nil` if its date is not known.
    private var window: ClosedRange<Double>?
    /// The times that are data in the recording with which this one is compared, in seconds since 1970.
    ///
    /// They are data here too.
    private let otherTimes: Set<Double>

    /// The form of one stub.
    struct Exchange: Sendable {
        var request = Message()
        var response = Message()
        /// The ids in the request, and those in the response.
        var (sent, given): (Set<String>, Set<String>) = ([], [])
        /// A Boolean value that indicates whether the client cancelled a stream, at a place that differs each time.
        var isCancelled = false
    }

    /// The form of a request or a response.
    struct Message: Hashable, Sendable {
        /// The method; or the status and the error.
        var head = ""
        var url = ""
        var fields: [String: [String]] = [:]
        var body = JSONValue.null
    }

    /// Creates the normal form of a conversation's stubs.
    package init(_ stubs: [Stub], _ rules: MergeRules, otherTimes: Set<Double> = []) {
        (self.rules, self.otherTimes) = (rules, otherTimes)
        window = Self.window(of: stubs)
        var reader = NormalFormReader(rules)
        findIDs(in: stubs, &reader)
        exchanges = stubs.map { stub in
            var exchange = Exchange()
            exchange.isCancelled = stub.response.waitsToBeCancelled
            exchange.request = reader.read(stub.request) { form($0, needingDigit: false, &exchange.sent) }
            let sent = exchange.sent
            exchange.response = reader.read(stub) { form($0, needingDigit: true, echoing: sent, &exchange.given) }
            return exchange
        }
    }

    // MARK: Ids

    private mutating func findIDs(in stubs: [Stub], _ reader: inout NormalFormReader) {
        var firstSenders: [String: Int] = [:]
        for (index, stub) in stubs.enumerated() {
            _ = reader.read(stub.request) { text in
                for word in possibleIDs(in: text, needingDigit: false) where firstSenders[word] == nil {
                    firstSenders[word] = index
                }
                return ""
            }
        }
        guard !firstSenders.isEmpty else { return }
        for (index, stub) in stubs.enumerated() {
            _ = reader.read(stub) { text in
                for word in possibleIDs(in: text, needingDigit: true) {
                    if firstSenders[word].map({ $0 > index }) == true { ids.insert(word) }
                    if let path = text.path, word == text.value, ids.contains(word) { idPaths.insert(path) }
                }
                return ""
            }
        }
    }

    private func possibleIDs(in text: NormalFormText, needingDigit: Bool) -> [String] {
        text.value.withBytes { bytes in
            text.possibleIDs(among: text.parts(of: bytes, isNear: isNear), of: bytes, needingDigit: needingDigit)
        }
    }

    // MARK: Texts

    /// Returns the form of a request without its header fields, in which only ids and placeholders have classes.
    ///
    /// Requests with the same one are answered by the same stub.
    func sent(_ request: StubRequest) -> Message {
        var reader = NormalFormReader(rules)
        var found: Set<String> = []
        var message = reader.read(request) { form($0, needingDigit: false, keepsOwn: true, &found) }
        message.fields = [:]
        return message
    }

    /// Returns the form of a text.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - needingDigit: whether an id has a digit.
    ///   - sent: the ids that the request of a response sends.
    ///   - keepsOwn: whether words and times that are not ids stay as they are.
    ///   - found: the ids to which those in the text are added.
    /// - Returns: the text with classes in it.
    private func form(
        _ text: NormalFormText,
        needingDigit: Bool = true,
        echoing sent: Set<String> = [],
        keepsOwn: Bool = false,
        _ found: inout Set<String>
    ) -> String {
        text.value.withBytes { bytes in
            let parts = text.parts(of: bytes) { keepsOwn ? false : isNear($0) }
            if !ids.isEmpty {
                let words = text.possibleIDs(among: parts, of: bytes, needingDigit: needingDigit)
                found.formUnion(words.filter(ids.contains))
            }
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

    /// Returns the form of a JSON Web Token, in which the header and the claims are JSON.
    private func form(ofToken token: Bytes) -> String {
        token.parts(of: 0..<token.count, separatedBy: .dot).map { range in
            let part = token.part(range)
            if Placeholder.isIn(part) { return "#secret" }
            let json = Base64.decoded(part).map { String(decoding: $0, as: UTF8.self) } ?? ""
            var ids: Set<String> = []
            return json.hasPrefix("{") ? form(NormalFormText(value: json), &ids) : MadeText.random(part) ?? part.text
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

// MARK: - Comparing

extension NormalForm.Exchange {
    /// Returns a Boolean value that indicates whether two stubs have the same content.
    func isSame(as other: Self) -> Bool { request == other.request && saysSame(as: other) }

    /// Returns a Boolean value that indicates whether two responses have the same content.
    func saysSame(as other: Self) -> Bool {
        guard isCancelled, other.isCancelled else { return response == other.response }
        var (response, other) = (response, other.response)
        switch (response.body.content, other.body.content) {
        case (.array(let events), .array(let others)):
            let count = min(events.count, others.count)
            // The last event may be cut off.
            guard events.prefix(max(0, count - 1)) == others.prefix(max(0, count - 1)) else { return false }
        case (.string(let text), .string(let otherText)):
            guard text.hasPrefix(otherText) || otherText.hasPrefix(text) else { return false }
        default: break
        }
        (response.body, other.body) = (.null, .null)
        return response == other
    }
}

extension NormalForm {
    /// Returns the key by which the stub at an index is paired with a stub of another recording.
    func key(at index: Int) -> UInt64 {
        var request = exchanges[index].request
        if !rules.comparesHeaderFields { request.fields = [:] }
        return UInt64(bitPattern: Int64(request.hashValue))
    }

    var keys: [UInt64] { exchanges.indices.map(key) }
}

// MARK: - Showing

extension NormalForm {
    /// Returns the form of the stub at an index as text: the request, an empty line, and the response.
    @_spi(Tools) public func text(ofStubAt index: Int) -> String {
        "\(exchanges[index].request.text)\n\n\(exchanges[index].response.text)"
    }
}

extension NormalForm.Message {
    fileprivate var text: String {
        let lines = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.joined(separator: " "))" }
        let body = body == .null ? [] : [body.text(upTo: .max)]
        return (["\(head) \(url)"] + lines + body).joined(separator: "\n")
    }
}
