import Foundation

/// The differences between a recorded stub and a new recording of the same exchange.
///
/// These count as nothing: the spelling of JSON and of the URL, the boundary of a multipart body, what the response gives back
/// of the request, the place at which the client cancelled, the order of a header field's list, recorded times unless only the
/// new recording has any, and the date.
struct StubChange {
    /// A word that differs, or a whole text that differs in more than words.
    struct Value {
        let pair: TextWords.Pair
        var isWord = true
        /// The kind of thing that this is the id of, in a path or under a name such as `userId`; `nil` where no id is written.
        var kind: String?
        /// A Boolean value that indicates whether ids are written at this place.
        var isReference: Bool { kind != nil }
        /// A Boolean value that indicates whether this is the `id` of what the response says was created, or in its URL (RFC
        /// 9110, section 15.3.2).
        var isNewID = false
        /// A Boolean value that indicates whether the word may be one that a server draws.
        ///
        /// A time is not drawn: it moves with the clock. Nor is a checksum, which differs only if what it is of does.
        var mayBeDrawn = true
        /// A Boolean value that indicates whether the word may differ: in a volatile header field or JSON member, in a part
        /// that the matchers ignore, or in a time that moved with the clock.
        var isVolatile: Bool
        let isInResponse: Bool
        let isInField: Bool
    }

    /// The words that differ at the same place.
    private(set) var values: [Value] = []

    /// A Boolean value that indicates whether more than words differs: a field, a member or a text that only one side has.
    private var differsInForm = false

    private let rules: MergeRules
    private let ignored: IgnoredParts.Spelled
    /// The times of the two recordings, by the clock of the client or of the server; `nil` where one is not known.
    private var dates: (old: Date, new: Date)?
    private let isCreation: Bool
    private var isInResponse = false
    /// The name of the header field that is compared.
    private var field: String?
    private var isOtherBody = false
    /// The kind of thing that an `id` belongs to, by the URL of the request.
    private let owner: String

    /// The length, in bytes, of the longest body that is taken apart into words.
    static let maximumByteCount = 1 << 20

    /// Compares two stubs; `made` has the values that mean the same in both, also in the names of members and fields.
    init(_ old: Stub, _ new: Stub, _ rules: MergeRules, like made: ServerMadeValues = ServerMadeValues()) {
        let recorded = new
        let new = made.recorded(new)
        self.rules = rules
        ignored = rules.ignored.spelled
        owner = new.request.url.lastName
        isCreation = [old, new].allSatisfy { $0.response.head?.statusCode == 201 }
        // Nothing in a value that a test made is volatile.
        guard new.valueName == nil else {
            differsInForm = old != recorded
            return
        }
        dates = Self.pair(old.recordedAt, new.recordedAt)
        differsInForm = old.request.method != new.request.method
        isOtherBody = recorded.request.body != new.request.body
        compare(
            Message(old.request),
            Message(new.request),
            ignored.keyPaths + EchoedRequestValues.paths(ofCallIn: new.request.body)
        )
        dates = Self.pair(old.response.date, new.response.date) ?? dates
        isInResponse = true
        let givenBack = EchoedRequestValues(of: new, ignoring: ignored.keyPaths, fields: rules.volatileHeaderFields)
        let received = givenBack.response(new.response, to: old.request)
        if received.differsInForm(from: old.response) { differsInForm = true }
        var (oldMessage, newMessage) = (Message(old.response, to: old.request), Message(received, to: new.request))
        if old.response.waitsToBeCancelled, new.response.waitsToBeCancelled {
            // Clients cancel a stream at another place each time.
            let count = min(oldMessage.body.count, newMessage.body.count)
            oldMessage.body = oldMessage.body.prefix(count)
            newMessage.body = newMessage.body.prefix(count)
        }
        isOtherBody = received.body != recorded.response.body
        compare(oldMessage, newMessage, rules.volatileJSONKeys.map { JSONKeyPath($0) })
    }

    private static func pair(_ old: Date?, _ new: Date?) -> (old: Date, new: Date)? {
        old.flatMap { old in new.map { (old, $0) } }
    }

    /// Returns a Boolean value that indicates whether nothing differs but words for which `isHidden` returns `true`.
    func isOnly(_ isHidden: (Value) -> Bool) -> Bool { !differsInForm && values.allSatisfy(isHidden) }

    // MARK: The parts of an exchange

    /// A request or a response.
    private struct Message {
        /// The URL; `nil` for a response from the URL of the request.
        let url: URL?
        var fields: HeaderFields
        var body: Data

        init(_ request: StubRequest) {
            (url, fields, body) = (request.url, request.headerFields, request.body ?? Data())
        }

        init(_ response: StubResponse, to request: StubRequest) {
            url = response.head.flatMap { $0.url == request.url ? nil : $0.url }
            (fields, body) = (response.head?.headerFields ?? [:], response.body ?? Data())
        }

        var type: ContentType { ContentType(fields["Content-Type"] ?? "") }

        /// The boundary of a multipart body; `nil` where there is none.
        var boundary: String? { type.isMultipart && type.boundary?.isEmpty == false ? type.boundary : nil }

        /// Replaces the boundary, which clients make anew.
        mutating func replaceBoundary(by boundary: String) {
            guard let old = self.boundary, old != boundary else { return }
            fields["Content-Type"] = fields["Content-Type"]?.replacingOccurrences(of: old, with: boundary)
            // Latin-1 has a character for each byte.
            let text = String(data: body, encoding: .isoLatin1)?.replacingOccurrences(of: old, with: boundary)
            body = text?.data(using: .isoLatin1) ?? body
        }
    }

    private mutating func compare(_ old: Message, _ new: Message, _ volatile: [JSONKeyPath]) {
        isOtherBody = isOtherBody || old.body != new.body
        var new = new
        if let boundary = old.boundary { new.replaceBoundary(by: boundary) }
        if old.url == nil || new.url == nil { differsInForm = differsInForm || old.url != new.url }
        if let old = old.url, let new = new.url { compare(old, new) }
        compare(old.fields, new.fields)
        if old.body != new.body { compareBodies(old, new, volatile) }
    }

    private mutating func compare(_ old: URL, _ new: URL) {
        guard old != new else { return }
        let (old, new) = (URLParts(old), URLParts(new))
        let texts = [old, new].map { Data($0.comparable(ignoring: ignored).text.utf8) }
        compareEncoded(texts[0], texts[1])
        let isIgnored = { [ignored] (item: QueryItem) in ignored.queryItems.contains(item.name) }
        let (oldItems, newItems) = (old.query.filter(isIgnored).sorted(), new.query.filter(isIgnored).sorted())
        if oldItems.count != newItems.count { differsInForm = true }
        for (old, new) in zip(oldItems, newItems) { compare(old.value ?? "", new.value ?? "", isVolatile: true) }
        if ignored.comparable(old.path) != old.path { compare(old.path, new.path, isVolatile: true) }
    }

    private mutating func compare(_ old: HeaderFields, _ new: HeaderFields) {
        guard old != new else { return }
        defer { field = nil }
        for name in Set((old + Array(new)).map { $0.name.lowercased() }).sorted() {
            field = name
            let (oldValues, newValues) = (old.values(named: name), new.values(named: name))
            if oldValues.count != newValues.count { differsInForm = true }
            // The length of a compressed body depends on the compressor, and the played body is not compressed.
            let isOfBody = isOtherBody || name == "content-length" && old["Content-Encoding"] != nil
            let isVolatile =
                rules.volatileHeaderFields.contains(name) || isOfBody && VolatileHeaderFields.ofBody.contains(name)
            for (old, new) in zip(oldValues, newValues) where !old.hasSameElements(as: new) {
                let rest = old.differingElements(from: new)
                compare(rest.own, rest.other, isVolatile: isVolatile)
            }
        }
    }

    private mutating func compareBodies(_ old: Message, _ new: Message, _ volatile: [JSONKeyPath]) {
        let (oldMembers, newMembers) = (members(volatile, old), members(volatile, new))
        if Set(oldMembers.keys) != Set(newMembers.keys) { differsInForm = true }
        for (place, range) in oldMembers.sorted(by: { $0.key < $1.key }) {
            guard let newRange = newMembers[place] else { continue }
            compare(old.body.part(range), new.body.part(newRange), isVolatile: true)
        }
        let (oldBody, newBody) = (old.body.hiding(oldMembers.values), new.body.hiding(newMembers.values))
        let url = URL(fileURLWithPath: "/")
        let oldForm = ComparableBody(StubRequest(url: url, headerFields: old.fields, body: oldBody))
        let newForm = ComparableBody(StubRequest(url: url, headerFields: new.fields, body: newBody))
        let parts = isInResponse ? .none : ignored
        if oldForm.names(ignoredBy: parts) != newForm.names(ignoredBy: parts) { differsInForm = true }
        guard oldForm.removing(parts) != newForm.removing(parts) else { return }
        if old.type.isForm, new.type.isForm {
            compareEncoded(oldBody, newBody)
        } else {
            compare(Self.comparable(oldBody), Self.comparable(newBody))
        }
    }

    /// Returns the ranges of the values of JSON members, by their places in each part of a body.
    private func members(_ paths: [JSONKeyPath], _ message: Message) -> [String: Range<Int>] {
        guard !paths.isEmpty, message.body.count <= Self.maximumByteCount else { return [:] }
        var result: [String: Range<Int>] = [:]
        for (index, text) in EchoedRequestValues.texts(in: message.body, of: message.fields["Content-Type"] ?? "")
            .enumerated()
        {
            for (place, range) in JSONMembers.ranges(of: paths, in: text.json) {
                result["\(index)\(place)"] = range.lowerBound + text.offset..<range.upperBound + text.offset
            }
        }
        return result
    }

    /// Returns JSON in one spelling, and any other body as it is.
    private static func comparable(_ body: Data) -> Data {
        guard body.count <= maximumByteCount, let value = JSONValue(body: body) else { return body }
        return Data(value.text(upTo: .max).utf8)
    }

    // MARK: Texts

    private mutating func compare(_ old: String, _ new: String, isVolatile: Bool = false) {
        if old != new { compare(Data(old.utf8), Data(new.utf8), isVolatile: isVolatile) }
    }

    /// Compares two texts in which names and values are percent-encoded.
    private mutating func compareEncoded(_ old: Data, _ new: Data) {
        old.withBytes { old in
            new.withBytes { new in
                let (oldParts, newParts) = (TextWords.encodedParts(in: old), TextWords.encodedParts(in: new))
                if oldParts.count != newParts.count { differsInForm = true }
                for (oldPart, newPart) in zip(oldParts, newParts) {
                    if old.at(oldPart.upperBound) != new.at(newPart.upperBound) { differsInForm = true }
                    let kind = TextWords.kind(of: oldPart, in: old)
                    let texts = [old.part(oldPart), new.part(newPart)].map { Data(PercentEncoding.decoded($0)) }
                    compare(texts[0], texts[1], kind: kind)
                }
            }
        }
    }

    private mutating func compare(_ old: Data, _ new: Data, isVolatile: Bool = false, kind: String? = nil) {
        guard old != new else { return }
        guard max(old.count, new.count) <= Self.maximumByteCount else {
            differsInForm = true
            return
        }
        old.withBytes { old in
            new.withBytes { new in
                // A value that is a secret in only one of them is another one.
                if Placeholder.isIn(old) != Placeholder.isIn(new) { differsInForm = true }
                guard let differences = TextWords.differences(old, new) else {
                    return compareForms(old, new, isVolatile: isVolatile)
                }
                let (oldTimes, newTimes) = (TimeText.all(in: old), TimeText.all(in: new))
                for words in differences {
                    func both(_ isSo: (Range<Int>, Bytes) -> Bool) -> Bool {
                        isSo(words.old, old) && isSo(words.new, new)
                    }
                    let oldTime = oldTimes.first { $0.range.overlaps(words.old) }
                    let newTime = newTimes.first { $0.range.overlaps(words.new) }
                    var isMoving = both(TextWords.isLatency)
                    var mayBeDrawn =
                        !both(TextWords.isChecksum) && field.map(VolatileHeaderFields.ofBody.contains) != true
                    // The words differ only in the time if they are in it, or it is in them.
                    if let oldTime, let newTime,
                        Self.rest(of: words.old, without: oldTime.range, in: old)
                            == Self.rest(of: words.new, without: newTime.range, in: new)
                    {
                        isMoving = isMoving || hasMoved(oldTime, newTime)
                        // An id of digits looks like seconds.
                        let times = [old.part(oldTime.range), new.part(newTime.range)]
                        mayBeDrawn = mayBeDrawn && times.joined().allSatisfy(\.isDigit)
                    } else if let oldSeconds = TextWords.secondsLeft(words.old, in: old),
                        let newSeconds = TextWords.secondsLeft(words.new, in: new)
                    {
                        // People choose whole minutes.
                        isMoving = [oldSeconds, newSeconds, oldSeconds - newSeconds].allSatisfy { $0 % 60 != 0 }
                    }
                    let pair = TextWords.Pair(old: old.part(words.old).text, new: new.part(words.new).text)
                    var value = value(pair, isVolatile || isMoving)
                    value.mayBeDrawn = mayBeDrawn
                    let ownKind = both(TextWords.isReference) ? TextWords.kind(of: words.new, in: new) : nil
                    value.kind = kind ?? (ownKind == "" ? TextWords.owner(of: words.new, in: new) ?? owner : ownKind)
                    value.isNewID =
                        isCreation && isInResponse && (field == "location" || TextWords.isID(words.new, in: new))
                    if let (oldText, newText) = pair.inBase64 {
                        // What is in it says whether it may differ.
                        let (old, new) = (Data(oldText.utf8), Data(newText.utf8))
                        compare(old, new, isVolatile: isVolatile, kind: value.kind)
                        value.isVolatile = true
                    }
                    values.append(value)
                }
            }
        }
    }

    /// Compares texts that differ in more than words, by what is in the places of placeholders.
    private mutating func compareForms(_ old: Bytes, _ new: Bytes, isVolatile: Bool) {
        if !isVolatile, field == nil || !isInResponse { differsInForm = true }
        var captures = ValueTemplate.Captures()
        if let (template, wildcards) = ValueTemplate.text(old, PlaceholderForms()),
            template.match(new, into: &captures)
        {
            for (wildcard, captured) in zip(wildcards, captures.values) {
                let pair = TextWords.Pair(old: wildcard.placeholder, new: String(decoding: captured, as: UTF8.self))
                values.append(value(pair, isVolatile))
            }
        } else {
            var value = value(.init(old: old.text, new: new.text), isVolatile)
            value.isWord = false
            values.append(value)
        }
    }

    private func value(_ pair: TextWords.Pair, _ isVolatile: Bool) -> Value {
        Value(pair: pair, isVolatile: isVolatile, isInResponse: isInResponse, isInField: field != nil)
    }

    /// Returns the text of a word that is not in a range.
    private static func rest(of word: Range<Int>, without range: Range<Int>, in text: Bytes) -> [UInt8] {
        let range = range.clamped(to: word)
        return Array(text.part(word.lowerBound..<range.lowerBound)) + [0]
            + text.part(range.upperBound..<word.upperBound)
    }

    private func hasMoved(_ old: TimeText, _ new: TimeText) -> Bool {
        dates.map { new.hasMoved(from: old, recorded: $0.old, $0.new) } ?? false
    }
}

extension StubResponse {
    /// The time of the response by the server's clock (RFC 9110, section 6.6.1); `nil` if it does not say.
    fileprivate var date: Date? {
        let text = head?.headerFields["Date"] ?? ""
        return text.withBytes(TimeText.all).first.map { Date(timeIntervalSince1970: $0.seconds) }
    }

    /// Returns a Boolean value that indicates whether a response has another status or end than an older one, or times that
    /// the older one has not.
    fileprivate func differsInForm(from old: StubResponse) -> Bool {
        head?.statusCode != old.head?.statusCode || failure != old.failure || pace.hasTimes && !old.pace.hasTimes
    }
}

extension Data {
    /// Returns the data with `null` in place of some ranges, which begin at 0.
    fileprivate func hiding(_ ranges: some Collection<Range<Int>>) -> Data {
        let edits = ranges.map { Edit(range: $0, text: Array("null".utf8)) }
        return withBytes { Edit.apply(edits, to: $0) }.map { Data($0) } ?? self
    }
}
