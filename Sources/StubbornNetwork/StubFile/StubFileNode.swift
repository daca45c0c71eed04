import Foundation

/// A piece of a stub file that is being written, and its layout.
indirect enum StubFileNode {
    /// Members are sorted by key when they are written.
    case object([(String, StubFileNode)])
    /// An array of texts: a single one beside its brackets, several on a line each.
    case lines([String])
    /// An array of arrays, each on a line.
    case pairs([[StubFileNode]])
    case text(String)
    case integer(Int)
    case seconds(Double)
    case base64(Data)
    /// A body that is known to be JSON.
    case json(Data)

    func append(to output: inout Data, level: Int) {
        switch self {
        case .object(let members):
            let sorted = members.sorted { $0.0 < $1.0 }
            Self.append("{", sorted, "}", to: &output, level: level) { member, output in
                JSONString.append(member.0, to: &output)
                output.append(contentsOf: " : ".utf8)
                member.1.append(to: &output, level: level + 1)
            }
        case .lines(let lines) where lines.count == 1:
            output.append(contentsOf: "[ ".utf8)
            JSONString.append(lines[0], to: &output)
            output.append(contentsOf: " ]".utf8)
        case .lines(let lines):
            Self.append("[", lines, "]", to: &output, level: level) { JSONString.append($0, to: &$1) }
        case .pairs(let pairs):
            Self.append("[", pairs, "]", to: &output, level: level) { pair, output in
                for (number, node) in pair.enumerated() {
                    output.append(contentsOf: (number == 0 ? "[ " : ", ").utf8)
                    node.append(to: &output, level: level)
                }
                output.append(contentsOf: " ]".utf8)
            }
        case .text(let text): JSONString.append(text, to: &output)
        case .integer(let integer): output.append(contentsOf: String(integer).utf8)
        case .seconds(let seconds): output.append(contentsOf: String(seconds.isFinite ? max(seconds, 0) : 0).utf8)
        case .base64(let data):
            output.append(.quote)
            output.append(data.base64EncodedData())
            output.append(.quote)
        case .json(let body):
            output.append(JSONText.rewrite(body: body, as: .indented(level: level)) ?? Data("null".utf8))
        }
    }

    private static func append<Element>(
        _ opening: String,
        _ elements: [Element],
        _ closing: String,
        to output: inout Data,
        level: Int,
        _ appendElement: (Element, inout Data) -> Void
    ) {
        output.append(contentsOf: opening.utf8)
        for (number, element) in elements.enumerated() {
            if number > 0 { output.append(.comma) }
            startLine(in: &output, level: level + 1)
            appendElement(element, &output)
        }
        if !elements.isEmpty { startLine(in: &output, level: level) }
        output.append(contentsOf: closing.utf8)
    }

    private static func startLine(in output: inout Data, level: Int) {
        output.append(.lineFeed)
        output.append(contentsOf: repeatElement(UInt8.space, count: 2 * level))
    }
}
