/// The strings and numbers of JSON, and the keys that say what they are.
struct JSONFields {
    private struct Frame {
        let isObject: Bool
        /// The names of the array or object itself: those of its elements, and of what an object calls its content.
        let names: [Range<Int>]
        /// The nearest name around it that says something about all that is beneath.
        let outer: Range<Int>?
        var key = Key.other
        /// The names of the value that comes next, in an object.
        var nextNames: [Range<Int>] = []
        /// The name that the object gives its value, in `{"name": "password", "value": "…"}`.
        var title: Range<Int>?
        /// The object's value, where it comes before its name.
        var untitled: TextField?
    }

    /// The meaning of a key for the object that it is in.
    private enum Key {
        /// The object's name, as in `{"name": "password", "value": "…"}`.
        case title
        /// The value that the object's name belongs to.
        case value
        case other

        init(_ key: Bytes) {
            switch key.count {
            case 3 where key.has("key", at: 0), 6 where key.has("header", at: 0): self = .title
            case 4 where key.has("name", at: 0) || key.has("Name", at: 0): self = .title
            case 5 where key.has("field", at: 0): self = .title
            case 5 where key.has("value", at: 0) || key.has("Value", at: 0), 7 where key.has("content", at: 0):
                self = .value
            default: self = .other
            }
        }
    }

    /// The keys under which an object has what its own key promises: `"token": {"value": "…"}`.
    private static let contents: [StaticString] = ["value", "raw", "plain", "text", "access", "refresh"]

    private let bytes: Bytes
    private var frames: [Frame] = []

    /// Visits the fields of one JSON text, or of several one after the other (JSON lines).
    ///
    /// A key's own name is the nearest; for `value` and the like the names around the object follow, and the name that
    /// stands beside it in the object. Nesting needs memory, not stack.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - start: The offset at which the JSON begins.
    ///   - isTelling: Returns a Boolean value that indicates whether a name says something about all that is beneath
    ///     it.
    ///   - visit: Is called with each field.
    /// - Returns: `false` where the bytes are not JSON to their end. The fields before the fault have been visited.
    static func read(
        _ bytes: Bytes,
        from start: Int = 0,
        isTelling: (Range<Int>) -> Bool = { _ in false },
        visit: (TextField) -> Void
    ) -> Bool {
        var fields = JSONFields(bytes: bytes)
        var scanner = JSONScanner(bytes, at: start)
        scanner.skipWhitespace()
        do {
            while scanner.current != nil {
                try scanner.walk { fields.take($0, isTelling, visit) }
                scanner.skipWhitespace()
            }
            return true
        } catch {
            return false
        }
    }

    private init(bytes: Bytes) {
        self.bytes = bytes
    }

    private mutating func take(
        _ token: JSONScanner.Token,
        _ isTelling: (Range<Int>) -> Bool,
        _ visit: (TextField) -> Void
    ) {
        switch token {
        case .open(let container):
            let names = names
            let outer = names.first(where: isTelling) ?? frames.last?.outer
            frames.append(Frame(isObject: container == .object, names: names, outer: outer))
        case .close: frames.removeLast()
        case .key(let key): take(key: Self.content(of: key.range))
        case .scalar(let value):
            var field = TextField(value: value.range, names: names, outer: frames.last?.outer, spelling: .json)
            switch value.kind {
            case .string:
                field.value = Self.content(of: value.range)
                take(field, visit)
            case .number:
                field.isNumber = true
                visit(field)
            default: break
            }
        }
    }

    /// The names of the value that comes next.
    private var names: [Range<Int>] {
        guard let frame = frames.last else { return [] }
        return frame.isObject ? frame.nextNames : frame.names
    }

    private mutating func take(key: Range<Int>) {
        let last = frames.count - 1
        let name = bytes.part(key)
        var names = [key]
        if !frames[last].names.isEmpty, name.isOne(of: Self.contents) { names += frames[last].names }
        frames[last].key = Key(name)
        if frames[last].key == .value, let title = frames[last].title { names.append(title) }
        frames[last].nextNames = names
    }

    private mutating func take(_ string: TextField, _ visit: (TextField) -> Void) {
        guard let last = frames.indices.last else { return visit(string) }
        var string = string
        string.isListed = !frames[last].isObject
        switch frames[last].key {
        case .title:
            frames[last].title = string.value
            if var field = frames[last].untitled {
                field.names = [string.value]
                visit(field)
            }
        case .value: frames[last].untitled = string
        case .other: break
        }
        visit(string)
    }

    private static func content(of string: Range<Int>) -> Range<Int> {
        string.lowerBound + 1..<string.upperBound - 1
    }
}
