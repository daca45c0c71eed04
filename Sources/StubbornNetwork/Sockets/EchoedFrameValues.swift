import Foundation

/// The values that a client sends in place of recorded ones, and that the server's frames repeat.
struct EchoedFrameValues {
    /// The key paths of members that the matchers ignore.
    let paths: [JSONKeyPath]
    /// The live values in place of recorded ones, as JSON: members that the matchers ignore, and ids of JSON-RPC calls.
    var values: [Data: Data] = [:]
    /// The live values of placeholders.
    var secrets: [String: [UInt8]] = [:]

    /// Adds the values of a frame that the client sends in place of a recorded one.
    mutating func add(_ live: Data, insteadOf recorded: Data, _ named: [(placeholder: String, value: [UInt8])]) {
        for (placeholder, value) in named { secrets[placeholder] = value }
        let paths = paths + EchoedRequestValues.paths(ofCallIn: recorded)
        let ranges = JSONMembers.ranges(of: paths, in: live)
        for (place, range) in JSONMembers.ranges(of: paths, in: recorded) {
            if let value = ranges[place] { values[recorded.part(range)] = live.part(value) }
        }
    }

    /// Returns a text of the server with the live values.
    func text(_ recorded: Data) -> String {
        let paths = paths + EchoedRequestValues.pathsOfAnswer(toCallIn: recorded)
        let edits = JSONMembers.ranges(of: paths, in: recorded).values.compactMap { range in
            values[recorded.part(range)].map { Edit(range: range, text: Array($0)) }
        }
        let text = recorded.withBytes { Edit.apply(edits, to: $0) }.map { Data($0) } ?? recorded
        if secrets.isEmpty { return String(decoding: text, as: UTF8.self) }
        let response = StubResponse(head: ResponseHead(statusCode: 200), body: text)
        return String(decoding: PlaceholderSubstitution { secrets[$0] }.response(response).body ?? text, as: UTF8.self)
    }
}
