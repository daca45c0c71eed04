import Foundation

/// The result of recording a stub again: the older stub where nothing has changed, or else the new one with what is
/// volatile in the older one, so that a diff shows only what changed.
///
/// Volatile are:
/// - the header fields of `MergeRules.volatileHeaderFields`, and of a request those that the matchers ignore;
/// - the query items and the JSON members of a request that the matchers ignore;
/// - the spelling of JSON, and with it the length and the checksums of the body;
/// - recorded times, unless only the new recording has any.
///
/// A volatile value that a later request of the run carries is not kept: code has received it and uses it.
struct StubRevision {
    let rules: MergeRules

    /// Returns a Boolean value that indicates whether a later request of the run carries a value.
    let isCarriedLater: (String) -> Bool

    /// Returns the older entry if the new recording says the same, or else the new entry with volatile values of the older
    /// one.
    func entry(_ new: StubFileEntry, insteadOf old: StubFileEntry) -> StubFileEntry {
        let losesResponse =
            new.stub.response.isBroken && old.stub.response.failure == nil && old.stub.response.head != nil
        if losesResponse { return old }
        let revised = Stub(
            request: request(new.stub.request, insteadOf: old.stub.request),
            response: response(new.stub.response, insteadOf: old.stub.response)
        )
        let isSame =
            Self.compared(revised) == Self.compared(old.stub)
            || Self.compared(rules.stubForm(revised)) == Self.compared(rules.stubForm(old.stub))
        if isSame { return old }
        guard revised != new.stub else { return new }
        return StubFileEntry(rendering: revised, bodyEncoding: rules.bodyEncoding ?? .base64)
    }

    /// Returns a stub as it is compared: no body is an empty one, and a response without a URL has the request's.
    private static func compared(_ stub: Stub) -> Stub {
        var stub = stub
        stub.request.body = stub.request.body ?? Data()
        if stub.response.head?.url == nil { stub.response.head?.url = stub.request.url }
        return stub
    }

    /// Both requests have the same `requestForm`: their URLs and bodies differ in what is volatile alone.
    private func request(_ new: StubRequest, insteadOf old: StubRequest) -> StubRequest {
        var result = new
        if Self.haveSamePlaceholders(Data(new.url.absoluteString.utf8), Data(old.url.absoluteString.utf8)) {
            result.url = old.url
        }
        let isSameBody = Self.haveSamePlaceholders(new.body, old.body)
        if isSameBody { result.body = old.body }
        var fields = rules.volatileHeaderFields.including(rules.ignoredHeaderFields)
        if isSameBody, new.body != old.body { fields = fields.including(VolatileHeaderFields.ofBody.names) }
        result.headerFields = headerFields(new.headerFields, insteadOf: old.headerFields, volatile: fields)
        return result
    }

    private func response(_ new: StubResponse, insteadOf old: StubResponse) -> StubResponse {
        var result = new
        var fields = rules.volatileHeaderFields
        // A body that cannot be read is not the same as any other.
        if let newBody = try? new.body ?? Data(), let oldBody = try? old.body ?? Data(),
            newBody == oldBody || JSONValue(body: newBody).map({ $0 == JSONValue(body: oldBody) }) ?? false
        {
            result.content = old.content
            if newBody != oldBody { fields = fields.including(VolatileHeaderFields.ofBody.names) }
            if old.pace != .immediate { result.pace = old.pace }
        }
        if let newFields = new.head?.headerFields, let oldFields = old.head?.headerFields {
            result.head?.headerFields = headerFields(newFields, insteadOf: oldFields, volatile: fields)
        }
        return result
    }

    /// Returns new header fields with the older values of the volatile ones.
    private func headerFields(
        _ new: HeaderFields,
        insteadOf old: HeaderFields,
        volatile: VolatileHeaderFields
    ) -> HeaderFields {
        func isKept(_ name: String) -> Bool {
            let (newValue, oldValue) = (new[name] ?? "", old[name] ?? "")
            return volatile.contains(name) && !isCarriedLater(newValue)
                && Self.haveSamePlaceholders(Data(newValue.utf8), Data(oldValue.utf8))
        }
        return HeaderFields(old.filter { isKept($0.name) } + new.filter { !isKept($0.name) })
    }

    /// Returns a Boolean value that indicates whether two values have the same number of placeholders, as under the
    /// same rules.
    private static func haveSamePlaceholders(_ one: Data?, _ other: Data?) -> Bool {
        let count = { (data: Data?) in
            data?.withBytes { bytes in
                var (count, next) = (0, 0)
                while let position = bytes.position(of: "REDACTED", from: next) {
                    (count, next) = (count + 1, position + 8)
                }
                return count
            } ?? 0
        }
        return count(one) == count(other)
    }
}

/// The words of the requests of a run, which tell whether a value of a response is used in a later request.
struct LaterRequests {
    /// The largest body that is searched, in bytes.
    private static let maximumByteCount = 64 << 10
    /// The number of characters of the shortest word that counts.
    private static let minimumCount = 4

    /// The index of the last request that has a word.
    private var lastIndex: [Substring: Int] = [:]

    init(_ requests: [StubRequest]) {
        for (index, request) in requests.enumerated() {
            var texts = request.headerFields.map(\.value)
            texts.append(request.url.absoluteString)
            texts.append(PercentEncoding.decoded(request.url.absoluteString))
            if let body = request.body, body.count <= Self.maximumByteCount {
                texts.append(String(decoding: body, as: UTF8.self))
            }
            for text in texts {
                for word in Self.words(of: text) { lastIndex[word] = index }
            }
        }
    }

    /// Returns a Boolean value that indicates whether one of the requests after an index has all words of a value.
    func carry(_ value: String, after index: Int) -> Bool {
        let words = Self.words(of: value)
        return !words.isEmpty && words.allSatisfy { (lastIndex[$0] ?? -1) > index }
    }

    private static func words(of text: String) -> [Substring] {
        text.split { !($0.isLetter || $0.isNumber || "-_.~".contains($0)) }.filter { $0.utf8.count >= minimumCount }
    }
}
