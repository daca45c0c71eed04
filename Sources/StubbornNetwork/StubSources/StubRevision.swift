import Foundation

/// The result of recording a stub again: the older stub where nothing has changed, or else the new one with the volatile values
/// of the older one, so that a diff shows only what changed.
///
/// Volatile are:
/// - the header fields of `MergeRules.volatileHeaderFields`, and those that the matchers or the stub directory ignore;
/// - the boundary of a multipart body;
/// - the parts of a request's URL and body that the matchers ignore, and what the response gives back of them;
/// - the JSON members of a response that `MergeRules.volatileJSONKeys` names;
/// - the spelling of JSON, and with it the length and the checksums of the body;
/// - recorded times, unless only the new recording has any, and the date.
///
/// A volatile value that code has received and uses is not kept (`RunWords`).
struct StubRevision {
    let rules: MergeRules
    /// The words of the run's requests and responses.
    let words: RunWords
    /// The index of the recording in its run.
    let index: Int

    /// Returns a Boolean value that indicates whether a new recording is an error, and the older stub has a response, which
    /// stays then.
    static func losesResponse(_ new: StubResponse, insteadOf old: StubResponse) -> Bool {
        new.endsWithError && old.failure == nil && old.head != nil
    }

    /// Returns the older entry if the new recording says the same, or else the new entry with volatile values of the older
    /// one.
    func entry(_ new: StubFileEntry, insteadOf old: StubFileEntry) -> StubFileEntry {
        // Nothing in a value that a test made is volatile.
        if new.stub.valueName != nil { return new.stub == old.stub ? old : new }
        let request = request(new.stub.request, insteadOf: old.stub.request)
        // The response has the value of the request that is kept.
        let givenBack = GivenBackValues(
            of: new.stub,
            ignoring: rules.ignored.spelled.keyPaths,
            fields: rules.volatileHeaderFields.including(rules.ignored.headerFields)
        )
        let received = givenBack.response(new.stub.response, to: request)
        var revised = Stub(
            request: request,
            response: response(
                received,
                insteadOf: old.stub.response,
                isChanged: !givenBack.isEmpty && received != new.stub.response
            )
        )
        let isSame =
            Self.compared(revised) == Self.compared(old.stub)
            || Self.compared(revised.nameless) == Self.compared(old.stub.nameless)
        if isSame { return old }
        revised.recordedAt = new.stub.recordedAt
        guard revised != new.stub else { return new }
        return StubFileEntry(rendering: revised, bodyEncoding: rules.bodyEncoding ?? .base64)
    }

    /// Returns a stub as it is compared: a response without a URL has the URL of the request.
    private static func compared(_ stub: Stub) -> Stub {
        var stub = stub
        if stub.response.head?.url == nil { stub.response.head?.url = stub.request.url }
        return stub
    }

    private func request(_ new: StubRequest, insteadOf old: StubRequest) -> StubRequest {
        var result = new
        let (newForm, oldForm) = (new.nameless, old.nameless)
        var parts = rules.ignored
        parts.jsonKeys += GivenBackValues.paths(ofCallIn: new.body).map(\.text)
        let ignored = parts.spelled
        if URLParts(newForm.url).comparable(ignoring: ignored) == URLParts(oldForm.url).comparable(ignoring: ignored),
            Self.haveSamePlaceholders(Data(new.url.absoluteString.utf8), Data(old.url.absoluteString.utf8))
        {
            result.url = old.url
        }
        var fields = rules.volatileHeaderFields.including(rules.ignored.headerFields)
        if ComparableBody(newForm).removing(ignored) == ComparableBody(oldForm).removing(ignored),
            Self.haveSamePlaceholders(new.body, old.body)
        {
            result.body = old.body
            if new.body != old.body { fields = fields.including(VolatileHeaderFields.ofBody.names) }
            // The boundary belongs to the body.
            let type = new.headerFields["Content-Type"].map { ContentType($0) }
            if type?.isMultipart == true { fields = fields.including(["Content-Type"]) }
        } else if let kept = Self.keepingBoundary(new, insteadOf: old) {
            (result.body, result.headerFields) = (kept.body, kept.headerFields)
        }
        result.headerFields = headerFields(result.headerFields, insteadOf: old.headerFields, volatile: fields) {
            value in
            words.isGiven(value, before: index)
        }
        return result
    }

    /// Returns a request with a multipart body that differs, and has the boundary of the older one; `nil` for any other.
    private static func keepingBoundary(_ new: StubRequest, insteadOf old: StubRequest) -> StubRequest? {
        guard
            let (newField, oldField) = new.headerFields["Content-Type"].flatMap({ new in
                old.headerFields["Content-Type"].map { (new, $0) }
            })
        else { return nil }
        let (newType, oldType) = (ContentType(newField), ContentType(oldField))
        guard newType.isMultipart, newType.name == oldType.name, let boundary = oldType.boundary, !boundary.isEmpty,
            let newBoundary = newType.boundary, newBoundary != boundary, let body = new.body,
            body.range(of: Data(boundary.utf8)) == nil, let parts = MultipartBody(body, boundary: newBoundary)
        else { return nil }
        var result = new
        result.body = parts.data(boundary: boundary)
        result.headerFields["Content-Type"] = oldField
        return result
    }

    /// Returns a new response with the volatile values of the older one; `isChanged` indicates whether its body was changed
    /// after it was received.
    private func response(_ new: StubResponse, insteadOf old: StubResponse, isChanged: Bool) -> StubResponse {
        var result = new
        var fields = rules.volatileHeaderFields.including(rules.ignored.headerFields)
        // A body that cannot be read is not the same as any other.
        if let received = try? new.body ?? Data(), let oldBody = try? old.body ?? Data() {
            let newBody = body(received, insteadOf: oldBody)
            if newBody == oldBody || JSONValue(body: newBody).map({ $0 == JSONValue(body: oldBody) }) ?? false {
                result.content = old.content
                if isChanged || received != oldBody { fields = fields.including(VolatileHeaderFields.ofBody.names) }
                if old.pace != .immediate { result.pace = old.pace }
            } else if newBody != received {
                result.content = .data(newBody)
            }
        }
        if let newFields = new.head?.headerFields, let oldFields = old.head?.headerFields {
            result.head?.headerFields = headerFields(newFields, insteadOf: oldFields, volatile: fields) { value in
                words.isCarried(value, after: index)
            }
        }
        return result
    }

    /// Returns a new body with the older values of its volatile JSON members, except where the new value is in use.
    private func body(_ new: Data, insteadOf old: Data) -> Data {
        guard !rules.volatileJSONKeys.isEmpty, new != old else { return new }
        let paths = rules.volatileJSONKeys.map { JSONKeyPath($0) }
        let oldValues = JSONMembers.ranges(of: paths, in: old).mapValues {
            old[old.startIndex + $0.lowerBound..<old.startIndex + $0.upperBound]
        }
        var result = new
        let newRanges = JSONMembers.ranges(of: paths, in: new).sorted { $0.value.lowerBound > $1.value.lowerBound }
        for (place, range) in newRanges {
            let range = result.startIndex + range.lowerBound..<result.startIndex + range.upperBound
            guard let oldValue = oldValues[place], result[range] != oldValue,
                !words.isCarried(String(decoding: result[range], as: UTF8.self), after: index),
                Self.haveSamePlaceholders(Data(result[range]), Data(oldValue))
            else { continue }
            result.replaceSubrange(range, with: oldValue)
        }
        return result
    }

    /// Returns new header fields with the older values of the volatile ones, except where the new value is in use.
    private func headerFields(
        _ new: HeaderFields,
        insteadOf old: HeaderFields,
        volatile: VolatileHeaderFields,
        isInUse: (String) -> Bool
    ) -> HeaderFields {
        func isKept(_ name: String) -> Bool {
            let (newValue, oldValue) = (new[name] ?? "", old[name] ?? "")
            return volatile.contains(name) && (newValue == oldValue || !isInUse(newValue))
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

extension Stub {
    /// The stub without the names and numbers of its placeholders.
    ///
    /// Numbers count secrets in the order in which they were seen, which differs between recordings whose requests overlap.
    var nameless: Stub { Redaction.standard.namelessForm(of: self) }
}

extension StubRequest {
    /// The request without the names and numbers of its placeholders.
    var nameless: StubRequest {
        Stub(request: self, response: StubResponse(head: ResponseHead(statusCode: 200))).nameless.request
    }
}
