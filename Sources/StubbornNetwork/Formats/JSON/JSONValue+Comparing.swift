extension JSONValue {
    /// Returns the value without the members at the paths.
    ///
    /// All members of a repeated key are left out.
    func removing(_ paths: [JSONKeyPath]) -> JSONValue {
        guard !paths.isEmpty else { return self }
        var builder = Builder()
        // The remaining keys of the paths, inside each open array and object, and for the value that comes next.
        var inside: [[ArraySlice<String>]] = []
        var next = paths.map { $0.keys[...] }
        var position = tokens.startIndex
        while position < tokens.endIndex {
            let token = tokens[position]
            position += 1
            switch token {
            case .key(let key):
                next = (inside.last ?? []).filter { $0.first == key }.map { $0.dropFirst() }
                if next.contains(where: \.isEmpty) {
                    position = tokens.end(ofValueAt: position)
                } else {
                    builder.append(token)
                }
                continue
            case .open(let container, _):
                builder.open(container)
                inside.append(next)
            case .close:
                builder.close()
                inside.removeLast()
            default: builder.append(token)
            }
            next = inside.last ?? []
        }
        return builder.value
    }

    /// Returns a Boolean value that indicates whether the value has all members of `part`, at any depth, with equal values.
    ///
    /// Objects may have more members. Arrays must have the same length.
    func contains(_ part: JSONValue) -> Bool {
        var pairs = [(self, part)]
        while let (value, part) = pairs.popLast() {
            switch (value.content, part.content) {
            case (.object(let members), .object(let wanted)):
                for (_, member, wanted) in Self.pairs(members, wanted) {
                    guard let wanted else { continue }
                    guard let member else { return false }
                    pairs.append((member, wanted))
                }
            case (.array(let elements), .array(let wanted)):
                guard elements.count == wanted.count else { return false }
                pairs += zip(elements, wanted)
            default:
                guard value == part else { return false }
            }
        }
        return true
    }

    /// Returns the members of two objects side by side, by key.
    ///
    /// The first of a repeated key belongs to the first, the second to the second.
    static func pairs(
        _ first: [Member],
        _ second: [Member]
    ) -> [(key: String, first: JSONValue?, second: JSONValue?)] {
        var result: [(key: String, first: JSONValue?, second: JSONValue?)] = []
        var (first, second) = (first[...], second[...])
        while let key = [first.first, second.first].compactMap({ $0?.key }).min() {
            let one = first.first?.key == key ? first.removeFirst().value : nil
            let other = second.first?.key == key ? second.removeFirst().value : nil
            result.append((key, one, other))
        }
        return result
    }

    /// Returns the value on one line, keys sorted: `{"a":[1,true]}`.
    ///
    /// It ends soon after `byteCount` bytes.
    package func text(upTo byteCount: Int) -> String {
        var writer = JSONWriter(.compact)
        writer.value(self, upTo: byteCount) { $0.quoted(upTo: byteCount) }
        return String(decoding: writer.output, as: UTF8.self)
    }
}
