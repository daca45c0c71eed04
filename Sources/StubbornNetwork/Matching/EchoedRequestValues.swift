import Foundation

/// The values that a recorded response repeats from its request, and that differ in a live request: the `id` of a JSON-RPC
/// call, the id of a request in a header field.
///
/// A client waits for the value that it sent, so the played response gets that value.
struct EchoedRequestValues: Sendable {
    /// The names of header fields that have one value in the request and the response.
    private var fields: [String] = []
    private var paths: [JSONKeyPath] = []
    /// The ranges of members in the response's body, and the places of their values in the request's body.
    private var members: [(range: Range<Int>, place: String)] = []

    private static let maximumByteCount = 4 << 20

    /// Returns the key paths of the values that a client generates for each call, if a body contains calls of JSON-RPC;
    /// none for any other body.
    static func paths(ofCallIn body: Data?) -> [JSONKeyPath] {
        guard let body, BodyFormat(body).kind == .json,
            body.withBytes({ $0.position(of: "\"jsonrpc\"", from: 0) != nil })
        else { return [] }
        // Notifications on a call's progress repeat the token (Model Context Protocol, "Progress").
        return [JSONKeyPath("id"), JSONKeyPath("params._meta.progressToken")]
    }

    /// Returns the key paths under which an answer to these calls repeats the values; none if there are no calls.
    static func pathsOfAnswer(toCallIn body: Data?) -> [JSONKeyPath] {
        Self.paths(ofCallIn: body).isEmpty ? [] : [JSONKeyPath("id"), JSONKeyPath("params.progressToken")]
    }

    /// Finds the values of a stub.
    ///
    /// A member of the response counts if it has the same key path as in the request. A string that cannot be the same
    /// by coincidence counts under its key anywhere, except for the `id` of a JSON-RPC call (JSON-RPC 2.0, section 5).
    ///
    /// - Parameters:
    ///   - stub: The recorded stub.
    ///   - paths: The key paths of JSON members that the matchers ignore.
    ///   - names: The header fields that differ in each request.
    init(of stub: Stub, ignoring paths: [JSONKeyPath], fields names: VolatileHeaderFields) {
        guard let head = stub.response.head else { return }
        let (sent, received) = (stub.request.headerFields, head.headerFields)
        fields = sent.map(\.name).filter { received[$0] == sent[$0] && names.contains($0) }
        guard let body = stub.request.body, let answer = stub.response.body,
            max(body.count, answer.count) <= Self.maximumByteCount, BodyFormat(body).kind == .json
        else { return }
        let answerPaths = Self.pathsOfAnswer(toCallIn: body)
        self.paths = paths + Self.paths(ofCallIn: body)
        // The places of the values, by the keys of their members.
        var known: [String: [JSONValue: String]] = [:]
        for path in self.paths {
            for (place, range) in JSONMembers.ranges(of: [path], in: body).sorted(by: {
                $0.value.lowerBound < $1.value.lowerBound
            }) {
                guard let value = JSONValue(body.part(range)), value.mayIdentify else { continue }
                known[path.keys.last ?? "", default: [:]].merge([value: place]) { first, _ in first }
            }
        }
        guard !known.isEmpty else { return }
        let keys = Set(known.keys).subtracting(answerPaths.isEmpty ? [] : ["id"])
        for text in Self.texts(in: answer, of: received["Content-Type"]) {
            var found: [Range<Int>: String] = Self.texts(under: keys, in: text.json)
            for path in self.paths + answerPaths {
                for range in JSONMembers.ranges(of: [path], in: text.json).values { found[range] = path.keys.last }
            }
            for (range, key) in found {
                guard let value = JSONValue(text.json.part(range)), let place = known[key]?[value] else { continue }
                members.append((range.lowerBound + text.offset..<range.upperBound + text.offset, place))
            }
        }
    }

    /// A Boolean value that indicates whether the response repeats nothing.
    var isEmpty: Bool { fields.isEmpty && members.isEmpty }

    /// Returns the response of the stub as an answer to a different request.
    func response(_ response: StubResponse, to request: StubRequest) -> StubResponse {
        var result = response
        for name in fields {
            guard let value = request.headerFields[name], value != response.head?.headerFields[name] else { continue }
            result.head?.headerFields[name] = value.filter { !$0.isNewline }
        }
        guard !members.isEmpty, let sent = request.body, let body = response.body else { return result }
        let values = JSONMembers.ranges(of: paths, in: sent)
        let edits = members.compactMap { member -> Edit? in
            guard let value = values[member.place].map({ sent.part($0) }), value != body.part(member.range) else {
                return nil
            }
            return Edit(range: member.range, text: Array(value))
        }
        guard let changed = body.withBytes({ Edit.apply(edits, to: $0) }) else { return result }
        result.body = Data(changed)
        result.pace.apply(edits)
        return result
    }

    // MARK: JSON in a response

    /// Returns the JSON texts of a body, with their offsets: one text, or the texts of a stream's parts.
    private static func texts(in body: Data, of type: String?) -> [(offset: Int, json: Data)] {
        guard let stream = StreamFormat(type, body: body) else { return [(0, body)] }
        return stream.parts(of: body).map { part in
            (part.startIndex - body.startIndex, stream == .events ? part.withoutEventFields : part)
        }
    }

    /// Returns a Boolean value that indicates whether a string cannot be the same by coincidence.
    private static func isGivenBack(_ text: String) -> Bool {
        text.withBytes { bytes in
            guard !Placeholder.isIn(bytes), !bytes.areDigits else { return false }
            return bytes.count >= 20 || RandomText.looksRandom(bytes)
        }
    }

    /// Returns the ranges and the keys of strings under some keys that cannot be the same by coincidence.
    private static func texts(under keys: Set<String>, in json: Data) -> [Range<Int>: String] {
        guard !keys.isEmpty else { return [:] }
        return json.withBytes { bytes in
            var ranges: [Range<Int>: String] = [:]
            var last: String?
            let isRead: Void? = try? JSONScanner.read(bytes) { content in
                if case .string(let text, let range) = content, let last, keys.contains(last), isGivenBack(text) {
                    ranges[range] = last
                }
                last = if case .key(let key, _) = content { key } else { nil }
            }
            return isRead == nil ? [:] : ranges
        }
    }
}

extension JSONValue {
    /// A Boolean value that indicates whether the value can identify a request: a number, or a string that is not
    /// empty.
    fileprivate var mayIdentify: Bool { if case .number = content { true } else { string?.isEmpty == false } }
}

extension Data {
    /// A server-sent event with spaces in place of everything except its data, so that JSON keeps its offsets.
    fileprivate var withoutEventFields: Data {
        var result = Data(self)
        for line in split(whereSeparator: \.isLineBreak) {
            let start = line.startIndex - startIndex
            let length = line.starts(with: Data("data:".utf8)) ? 5 : line.count
            result.replaceSubrange(start..<start + length, with: repeatElement(.space, count: length))
        }
        return result
    }
}
