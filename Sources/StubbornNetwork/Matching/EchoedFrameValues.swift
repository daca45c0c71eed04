import Foundation

/// The values that a client sends in place of recorded ones, and that the server's frames repeat.
struct EchoedFrameValues {
    private let paths: [JSONKeyPath]
    /// The live values in place of recorded ones, as JSON: ids that the matchers ignore, and those of JSON-RPC calls.
    private var values: [Data: [UInt8]] = [:]
    /// The live values of placeholders.
    private var secrets: [String: [UInt8]] = [:]

    init(ignoring paths: [JSONKeyPath]) { self.paths = paths }

    mutating func add(_ captures: some Sequence<(Wildcard, [UInt8])>, _ recorded: Data, _ live: Data) {
        for (wildcard, value) in captures where wildcard.kind == .named { secrets[wildcard.placeholder] = value }
        let places = JSONMembers.ranges(of: paths, in: live)
        for (place, range) in JSONMembers.ranges(of: paths, in: recorded) {
            if let value = places[place] { values[recorded.part(range)] = Array(live.part(value)) }
        }
    }

    /// Returns a text of the server with the live values.
    func text(_ text: String) -> String {
        var data = Data(text.utf8)
        if !values.isEmpty {
            let edits = JSONMembers.ranges(of: paths, in: data).values.compactMap { range in
                values[data.part(range)].map { Edit(range: range, text: $0) }
            }
            if let changed = data.withBytes({ Edit.apply(edits, to: $0) }) { data = Data(changed) }
        }
        if !secrets.isEmpty {
            let live = PlaceholderSubstitution { secrets[$0] }
            data = live.response(StubResponse(head: ResponseHead(statusCode: 101), body: data)).body ?? data
        }
        return String(decoding: data, as: UTF8.self)
    }
}
