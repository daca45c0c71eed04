import Foundation

/// The differences between a recorded stub and a new recording of the same exchange.
///
/// These count as nothing: the spelling of JSON and of the URL, the boundary of a multipart body, what the response gives back
/// of the request, the place at which the client cancelled, the order of a header field's list, recorded times unless only the
/// new recording has any, and the date.
struct StubChange {
    /// A word that differs.
    struct Value {
        let pair: TextWords.Pair
        /// The name that is written before the word, in lower case with `_` between its words; empty where there is none.
        let name: String
        /// A Boolean value that indicates whether ids are written at this place: in a path, or under a name such as `userId`.
        let isReference: Bool
        /// A Boolean value that indicates whether this is the `id` of what the response says was created (RFC 9110, section
        /// 15.3.2).
        let isNewID: Bool
        /// A Boolean value that indicates whether the word may differ: in a volatile header field or JSON member, in a part
        /// that the matchers ignore, or in a time that moved with the clock.
        let isVolatile: Bool
        /// The time that the word is in; `nil` for no time, or for one that moved with the clock.
        let time: MovedTime?
        let isInResponse: Bool
        /// A Boolean value that indicates whether the word is in a volatile header field of the response, where words are equal
        /// by chance: the second of an answer, the state of a cache.
        let isInVolatileField: Bool
    }

    /// The words that differ at the same place.
    private(set) var values: [Value] = []

    /// A Boolean value that indicates whether more than words differs: a field, a member or a text that only one side has.
    private(set) var differsInForm = false

    /// A Boolean value that indicates whether nothing differs that counts.
    var isNothing: Bool { !differsInForm && values.allSatisfy(\.isVolatile) }

    private let rules: MergeRules
    private let ignored: IgnoredParts.Spelled
    /// The times of the two recordings, by the clock of the client or of the server; `nil` where one is not known.
    private var dates: (old: Date, new: Date)?
    private var isInResponse = false
    private var isInField = false
    /// The name of what is compared: of a header field, or of a value in a URL or a form.
    private var nameOfText = ""
    private let isCreation: Bool

    /// The length, in bytes, of the longest body that is taken apart into words.
    static let maximumByteCount = 1 << 20

    init(_ old: Stub, _ new: Stub, _ rules: MergeRules) {
        self.rules = rules
        ignored = rules.ignored.spelled
        isCreation = old.response.head?.statusCode == 201 && new.response.head?.statusCode == 201
        // Nothing in a value that a test made is volatile.
        guard new.valueName == nil else {
            differsInForm = old != new
            return
        }
        dates = Self.pair(old.recordedAt, new.recordedAt)
        compare(old.request, new.request)
        isInResponse = true
        dates = Self.pair(old.response.date, new.response.date) ?? dates
        let givenBack = GivenBackValues(of: new, ignoring: ignored.keyPaths, fields: rules.volatileFields)
        let received = givenBack.response(new.response, to: old.request)
        compare(old.response, of: old.request, received, of: new.request, isChanged: received != new.response)
    }

    private static func pair(_ old: Date?, _ new: Date?) -> (old: Date, new: Date)? {
        old.flatMap { old in new.map { (old, $0) } }
    }

    // MARK: The parts of an exchange

    private mutating func compare(_ old: StubRequest, _ new: StubRequest) {
        compare(old.method, new.method)
        compare(old.url, new.url)
        let keys = ignored.keyPaths + GivenBackValues.paths(ofCallIn: new.body)
        let boundary = compare((old.headerFields, old.body), (new.headerFields, new.body), keys)
        compare(old.headerFields, new.headerFields, boundary, isOtherBody: old.body ?? Data() != new.body ?? Data())
    }

    private mutating func compare(
        _ old: StubResponse,
        of oldRequest: StubRequest,
        _ new: StubResponse,
        of newRequest: StubRequest,
        isChanged: Bool
    ) {
        let isPaced = !old.pace.hasTimes && new.pace.hasTimes
        if old.head?.statusCode != new.head?.statusCode || old.failure != new.failure || isPaced {
            differsInForm = true
        }
        let (oldURL, newURL) = (old.head?.url ?? oldRequest.url, new.head?.url ?? newRequest.url)
        if oldURL != oldRequest.url || newURL != newRequest.url { compare(oldURL, newURL) }
        let (oldFields, newFields) = (old.head?.headerFields ?? [:], new.head?.headerFields ?? [:])
        var boundary: (old: String, new: String)?
        var isOtherBody = isChanged
        if old.content != new.content {
            guard var oldBody = try? old.body ?? Data(), var newBody = try? new.body ?? Data() else {
                differsInForm = true
                return
            }
            isOtherBody = isOtherBody || oldBody != newBody
            if old.waitsToBeCancelled, new.waitsToBeCancelled {
                // Clients cancel a stream at another place each time.
                let count = min(oldBody.count, newBody.count)
                (oldBody, newBody) = (oldBody.prefix(count), newBody.prefix(count))
            }
            let keys = rules.volatileJSONKeys.map { JSONKeyPath($0) }
            boundary = compare((oldFields, oldBody), (newFields, newBody), keys)
        }
        compare(oldFields, newFields, boundary, isOtherBody: isOtherBody)
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

    private mutating func compare(
        _ old: HeaderFields,
        _ new: HeaderFields,
        _ boundary: (old: String, new: String)?,
        isOtherBody: Bool
    ) {
        guard old != new else { return }
        isInField = true
        defer { (isInField, nameOfText) = (false, "") }
        for name in Set((old + Array(new)).map { $0.name.lowercased() }).sorted() {
            nameOfText = name
            let (oldValues, newValues) = (old.values(named: name), new.values(named: name))
            if oldValues.count != newValues.count { differsInForm = true }
            // The length of a compressed body depends on the compressor, and the played body is not compressed.
            let isOfBody = isOtherBody || name == "content-length" && old["Content-Encoding"] != nil
            let isVolatile =
                rules.volatileFields.contains(name) || isOfBody && VolatileHeaderFields.ofBody.contains(name)
            for (old, var new) in zip(oldValues, newValues) where !old.hasSameElements(as: new) {
                if let boundary, name == "content-type" {
                    new = new.replacingOccurrences(of: boundary.new, with: boundary.old)
                }
                let (oldRest, newRest) = old.differingElements(from: new)
                compare(oldRest, newRest, isVolatile: isVolatile)
            }
        }
    }

    // MARK: Bodies

    /// Compares two bodies.
    ///
    /// - Returns: The boundaries of both, if these are multipart bodies with boundaries that differ.
    private mutating func compare(
        _ old: (fields: HeaderFields, body: Data?),
        _ new: (fields: HeaderFields, body: Data?),
        _ volatile: [JSONKeyPath]
    ) -> (old: String, new: String)? {
        var (oldBody, newBody) = (old.body ?? Data(), new.body ?? Data())
        guard oldBody != newBody else { return nil }
        let (oldType, newType) = (old.fields["Content-Type"] ?? "", new.fields["Content-Type"] ?? "")
        var boundary: (old: String, new: String)?
        if let old = ContentType(oldType).multipartBoundary, let new = ContentType(newType).multipartBoundary,
            old != new
        {
            boundary = (old, new)
            newBody = newBody.replacing(Data(new.utf8), by: Data(old.utf8))
        }
        let (oldMembers, newMembers) = (members(volatile, oldBody, oldType), members(volatile, newBody, newType))
        if Set(oldMembers.keys) != Set(newMembers.keys) { differsInForm = true }
        for (place, range) in oldMembers.sorted(by: { $0.key < $1.key }) {
            guard let newRange = newMembers[place] else { continue }
            compare(oldBody.part(range), newBody.part(newRange), isVolatile: true)
        }
        oldBody = oldBody.hiding(Array(oldMembers.values))
        newBody = newBody.hiding(Array(newMembers.values))
        let url = Self.anyURL
        let oldForm = ComparableBody(StubRequest(url: url, headerFields: old.fields, body: oldBody))
        let newForm = ComparableBody(StubRequest(url: url, headerFields: new.fields, body: newBody))
        if !isInResponse, oldForm.names(ignoredBy: ignored) != newForm.names(ignoredBy: ignored) {
            differsInForm = true
        }
        let parts = isInResponse ? .none : ignored
        if oldForm.removing(parts) != newForm.removing(parts) {
            if ContentType(oldType).isForm, ContentType(newType).isForm {
                compareEncoded(oldBody, newBody)
            } else {
                compare(Self.comparable(oldBody), Self.comparable(newBody))
            }
        }
        return boundary
    }

    private static let anyURL = URL(fileURLWithPath: "/")

    /// Returns the ranges of the values of JSON members, by their places in each part of a body.
    private func members(_ paths: [JSONKeyPath], _ body: Data, _ type: String) -> [String: Range<Int>] {
        guard !paths.isEmpty, body.count <= Self.maximumByteCount else { return [:] }
        var result: [String: Range<Int>] = [:]
        for (index, text) in GivenBackValues.texts(in: body, of: type).enumerated() {
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
                    let isReference = TextWords.isReference(oldPart, in: old)
                    let texts = [old.part(oldPart), new.part(newPart)].map { Data(PercentEncoding.decoded($0)) }
                    nameOfText = TextWords.name(of: oldPart, in: old)?.text ?? ""
                    compare(texts[0], texts[1], isReference: isReference)
                    nameOfText = ""
                }
            }
        }
    }

    private mutating func compare(_ old: Data, _ new: Data, isVolatile: Bool = false, isReference: Bool = false) {
        guard old != new else { return }
        guard max(old.count, new.count) <= Self.maximumByteCount else {
            differsInForm = true
            return
        }
        old.withBytes { old in
            new.withBytes { new in
                // A value that is a secret in only one of them is another one.
                if Placeholder.isIn(old) != Placeholder.isIn(new) { differsInForm = true }
                let differences = TextWords.differences(old, new)
                if differences == nil, !isVolatile { differsInForm = true }
                let times = times(old, new)
                for (oldWord, newWord) in differences ?? [] {
                    let time = times.first { $0.hides(oldWord, in: old, newWord, in: new) }
                    add(
                        TextWords.Pair(old: old.part(oldWord).text, new: new.part(newWord).text),
                        name: TextWords.label(of: oldWord, in: old)
                            ?? (nameOfText.isEmpty ? "" : nameOfText.withBytes(Placeholder.label)),
                        isReference: isReference
                            || TextWords.isReference(oldWord, in: old) && TextWords.isReference(newWord, in: new),
                        isNewID: isCreation && isInResponse && TextWords.isID(newWord, in: new),
                        time: time.flatMap { $0.isByClock ? nil : $0 },
                        isVolatile: isVolatile || time?.isByClock == true
                            || TextWords.isLatency(oldWord, in: old) && TextWords.isLatency(newWord, in: new)
                    )
                }
                guard differences == nil else { return }
                for word in TextWords.tellingWords(in: old) { add(.init(old: word, new: ""), isVolatile: isVolatile) }
                for word in TextWords.tellingWords(in: new) { add(.init(old: "", new: word), isVolatile: isVolatile) }
            }
        }
    }

    private mutating func add(
        _ pair: TextWords.Pair,
        name: String = "",
        isReference: Bool = false,
        isNewID: Bool = false,
        time: MovedTime? = nil,
        isVolatile: Bool
    ) {
        values.append(
            Value(
                pair: pair,
                name: name,
                isReference: isReference,
                isNewID: isNewID,
                isVolatile: isVolatile,
                time: time,
                isInResponse: isInResponse,
                isInVolatileField: isVolatile && isInResponse && isInField
            )
        )
    }

    /// A time that differs.
    struct MovedTime {
        let old: TimeText
        let new: TimeText
        let isByClock: Bool

        /// The seconds by which it has moved.
        var seconds: Double { new.seconds - old.seconds }

        /// Returns a Boolean value that indicates whether two words differ only in the time: they are in it, or it is in them.
        fileprivate func hides(_ oldWord: Range<Int>, in oldText: Bytes, _ newWord: Range<Int>, in newText: Bytes)
            -> Bool
        {
            let (old, new) = (old.range, new.range)
            if old.contains(oldWord.lowerBound) { return true }
            guard oldWord.contains(old.lowerBound), newWord.contains(new.lowerBound) else { return false }
            let before = (
                oldText.part(oldWord.lowerBound..<old.lowerBound), newText.part(newWord.lowerBound..<new.lowerBound)
            )
            let after = (
                oldText.part(old.upperBound..<oldWord.upperBound), newText.part(new.upperBound..<newWord.upperBound)
            )
            return before.0.elementsEqual(before.1) && after.0.elementsEqual(after.1)
        }
    }

    private func times(_ old: Bytes, _ new: Bytes) -> [MovedTime] {
        let (oldTimes, newTimes) = (TimeText.all(in: old), TimeText.all(in: new))
        guard oldTimes.count == newTimes.count else { return [] }
        return zip(oldTimes, newTimes).map { old, new in
            MovedTime(
                old: old,
                new: new,
                isByClock: dates.map { new.hasMoved(from: old, recorded: $0.old, $0.new) } ?? false
            )
        }
    }
}

extension StubResponse {
    /// The time of the response by the server's clock (RFC 9110, section 6.6.1); `nil` if it does not say.
    fileprivate var date: Date? {
        let text = head?.headerFields["Date"] ?? ""
        return text.withBytes(TimeText.all).first.map { Date(timeIntervalSince1970: $0.seconds) }
    }
}

extension ContentType {
    /// The boundary of a multipart body; `nil` where there is none.
    fileprivate var multipartBoundary: String? { isMultipart && boundary?.isEmpty == false ? boundary : nil }
}

extension Data {
    /// Returns the data with `null` in place of some ranges, which begin at 0.
    fileprivate func hiding(_ ranges: [Range<Int>]) -> Data {
        let edits = ranges.map { Edit(range: $0, text: Array("null".utf8)) }
        return withBytes { Edit.apply(edits, to: $0) }.map { Data($0) } ?? self
    }

    fileprivate func replacing(_ text: Data, by new: Data) -> Data {
        var result = self
        var next = result.startIndex
        while let found = result.range(of: text, in: next..<result.endIndex) {
            result.replaceSubrange(found, with: new)
            next = found.lowerBound + new.count
        }
        return result
    }
}
