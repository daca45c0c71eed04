import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The numbers of language model tokens in recorded responses, which a run saves by playing them.
///
/// A response contains them in a member `usage`, as `total_tokens`, `inputTokens` or `promptTokenCount`. Each part of a stream
/// contains the sums so far.
struct TokenUsage: Encodable {
    /// The number of responses with numbers of tokens.
    private(set) var calls = 0
    /// The sum of their tokens.
    private(set) var tokens = 0

    init() {}

    init(of stubs: [Stub]) {
        for stub in stubs { add(stub.response) }
    }

    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.calls += right.calls
        sum.tokens += right.tokens
        return sum
    }

    private mutating func add(_ response: StubResponse) {
        guard let body = response.body, body.range(of: Data("oken".utf8)) != nil else { return }
        var counts: [String: Int] = [:]
        for object in Self.objects(in: body) {
            guard let part = (try? JSONContent(object)).map(Self.counts) else { continue }
            counts.merge(part) { $1 }
        }
        guard !counts.isEmpty else { return }
        calls += 1
        tokens += Self.sum(of: counts)
    }

    /// The total, or the sum of the others if there is none.
    private static func sum(of counts: [String: Int]) -> Int {
        counts.first { $0.key.hasPrefix("total") }?.value ?? counts.values.reduce(0, +)
    }

    /// Returns the numbers of tokens in a JSON value, by their names without underscores.
    private static func counts(in value: JSONContent) -> [String: Int] {
        switch value {
        case .object(let members):
            members.sorted { $0.key < $1.key }.reduce(into: [:]) { result, member in
                let isUsage = ["usage", "metrics"].contains { member.key.lowercased().contains($0) }
                result.merge(isUsage ? usage(member.value) : counts(in: member.value), uniquingKeysWith: +)
            }
        case .array(let elements): elements.reduce(into: [:]) { $0.merge(counts(in: $1), uniquingKeysWith: +) }
        case .null, .bool, .number, .string: [:]
        }
    }

    /// Returns the numbers in an object on usage; some providers have one more object inside it, with the same numbers twice.
    private static func usage(_ value: JSONContent) -> [String: Int] {
        guard case .object(let members) = value else { return [:] }
        var result: [String: Int] = [:]
        for case (let key, .number(let text)) in members {
            let name = key.lowercased().filter { $0 != "_" }
            if name.hasSuffix("tokens") || name.hasSuffix("tokencount"), let count = Int(text) { result[name] = count }
        }
        return result.isEmpty ? members.values.map(usage).max { sum(of: $0) < sum(of: $1) } ?? [:] : result
    }

    /// Returns the outermost JSON objects in a body: one, or one for each part of a stream, whatever is between them.
    private static func objects(in body: Data) -> [Data] {
        var objects: [Data] = []
        var (depth, start, isText, isEscaped) = (0, body.startIndex, false, false)
        for (index, byte) in zip(body.indices, body) {
            if isText {
                isText = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = depth > 0
            case UInt8(ascii: "{"):
                if depth == 0 { start = index }
                depth += 1
            case UInt8(ascii: "}") where depth > 0:
                depth -= 1
                if depth == 0 { objects.append(body[start...index]) }
            default: break
            }
        }
        return objects
    }
}

extension TokenUsage: CustomStringConvertible {
    /// The numbers as text: `2 calls with 1234 tokens`.
    var description: String { "\(counted(calls, "call")) with \(counted(tokens, "token"))" }
}
