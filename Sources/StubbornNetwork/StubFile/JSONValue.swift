import Foundation

/// A JSON body as a value, to tell whether two spellings mean the same.
///
/// The order of an object's keys says nothing, numbers are compared by their exact value (`1.0` equals `1`), texts by
/// their bytes once unescaped.
enum JSONValue: Hashable {
    case object([Data: JSONValue])
    case array([JSONValue])
    case string(Data)
    case number(JSONNumber)
    /// `true`, `false`, `null`, and a number that is beyond all measure.
    case literal(Data)

    /// How deep a value may be nested: comparing is recursive, and a body deeper than this is compared as bytes.
    private static let maximumDepth = 128

    /// The body of a request or a response, when it is a JSON object or array; `nil` for anything else, for a key that an
    /// object has twice, and for more than 128 levels of nesting.
    init?(body: Data) {
        let start = body.first { !JSONValue.isWhitespace($0) }
        guard start == UInt8(ascii: "{") || start == UInt8(ascii: "[") else { return nil }
        let value = body.withUnsafeBytes { bytes -> JSONValue? in
            var scanner = JSONScanner(bytes, allowsTrailingCommas: false)
            scanner.skipWhitespace()
            var builder = Builder(bytes: bytes)
            do throws(StubFileSyntaxError) {
                let outside = JSONScanner.maximumDepth - JSONValue.maximumDepth
                try scanner.walk(depth: outside) { token throws(StubFileSyntaxError) in try builder.add(token) }
            } catch { return nil }
            scanner.skipWhitespace()
            return scanner.current == nil && !builder.hasRepeatedKey ? builder.value : nil
        }
        guard let value else { return nil }
        self = value
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }
}

extension JSONValue {
    private struct Builder {
        private struct Level {
            let container: JSONScanner.Container
            var key = Data()
            var elements: [JSONValue] = []
            var members: [Data: JSONValue] = [:]
        }

        let bytes: UnsafeRawBufferPointer
        private(set) var value: JSONValue?
        private(set) var hasRepeatedKey = false
        private var levels: [Level] = []

        init(bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
        }

        mutating func add(_ token: JSONScanner.Token) throws(StubFileSyntaxError) {
            switch token {
            case .open(let container): levels.append(Level(container: container))
            case .key(let key): levels[levels.endIndex - 1].key = try text(of: key)
            case .scalar(let scalar): try add(scalar)
            case .close(let container):
                guard let level = levels.popLast() else { return }
                add(container == .array ? .array(level.elements) : .object(level.members), to: levels.indices.last)
            }
        }

        private mutating func add(_ scalar: JSONScanner.Value) throws(StubFileSyntaxError) {
            let value: JSONValue
            switch scalar.kind {
            case .string: value = .string(try text(of: scalar))
            case .number:
                let text = bytes[scalar.range]
                guard JSONNumber.isValid(text) else { throw .number(at: scalar.range.lowerBound) }
                value = JSONNumber(text).map { .number($0) } ?? .literal(Data(text))
            default: value = .literal(Data(bytes[scalar.range]))
            }
            add(value, to: levels.indices.last)
        }

        private mutating func add(_ value: JSONValue, to level: Int?) {
            guard let level else { return self.value = value }
            switch levels[level].container {
            case .array: levels[level].elements.append(value)
            case .object:
                let previous = levels[level].members.updateValue(value, forKey: levels[level].key)
                if previous != nil { hasRepeatedKey = true }
            }
        }

        private func text(of value: JSONScanner.Value) throws(StubFileSyntaxError) -> Data {
            guard case .string(let hasEscapes) = value.kind else { return Data() }
            return Data(try JSONString.text(of: value.range, hasEscapes: hasEscapes, in: bytes).utf8)
        }
    }
}
