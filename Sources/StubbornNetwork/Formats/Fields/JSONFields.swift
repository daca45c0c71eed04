/// The strings and numbers in JSON, with the keys that name them.
struct JSONFields {
    private struct Frame {
        let isObject: Bool
        /// The names of the array or object, which also apply to its elements, and to the `value` of an object.
        let names: [Range<Int>]
        /// The nearest name around it that also describes nested values.
        let outerName: Range<Int>?
        /// The names of the value that comes next, in an object.
        var nextNames: [Range<Int>] = []
        /// A Boolean value that indicates whether the value that comes next, or is inside an array, may have a label.
        var isLabeled = false
        /// The object's texts so far, each of which may be the label of its value: `password` in
        /// `{"name": "password", "value": "…"}`.
        var texts: [Range<Int>] = []
        /// The values, whose labels may follow, as in `{"value": "…", "name": "password"}`.
        var labeled: [TextField] = []
    }

    /// The keys of an object's actual value, to which the object's name also applies: `"token": {"value": "…"}`.
    private static let contents: [StaticString] = [
        "value", "raw", "plain", "text", "access", "refresh", "first", "second", "current", "old", "new",
    ]

    private let bytes: Bytes
    /// The open arrays and objects, after a frame for the whole text.
    private var frames = [Frame(isObject: false, names: [], outerName: nil)]

    /// Visits the fields of one JSON text, or of several one after the other (JSON lines).
    ///
    /// A value's own key is its nearest name. The names of an object also apply to its `value` and the like. The other texts in
    /// the object of a `value`, `string_value` or `values` may be its names too, so it is visited at the end of the object. Nesting
    /// needs memory, not stack.
    ///
    /// `describesNested` indicates whether a name also describes the values nested below it. Returns `false` if the bytes are
    /// not JSON to their end; the fields before the fault have been visited.
    static func read(
        _ bytes: Bytes,
        from start: Int = 0,
        describesNested: (Range<Int>) -> Bool = { _ in false },
        visit: (TextField) -> Void
    ) -> Bool {
        var fields = JSONFields(bytes: bytes)
        var scanner = JSONScanner(bytes, at: start, allowsTrailingCommas: true)
        scanner.skipWhitespace()
        while scanner.current != nil {
            guard (try? scanner.walk { fields.take($0, describesNested, visit) }) != nil else {
                fields.frames.flatMap(\.labeled).forEach(visit)
                return false
            }
            scanner.skipWhitespace()
        }
        return true
    }

    private mutating func take(
        _ token: JSONScanner.Token,
        _ describesNested: (Range<Int>) -> Bool,
        _ visit: (TextField) -> Void
    ) {
        let last = frames.count - 1
        let names = frames[last].isObject ? frames[last].nextNames : frames[last].names
        switch token {
        case .open(let container):
            let (frame, isObject) = (frames[last], container == .object)
            let outerName = names.first(where: describesNested) ?? frame.outerName
            frames.append(Frame(isObject: isObject, names: names, outerName: outerName, isLabeled: frame.isLabeled))
        case .close:
            let frame = frames.removeLast()
            for var field in frame.labeled {
                let later = frame.texts.filter { $0.lowerBound > field.value.upperBound }
                field.names += later.compactMap { FieldName.title(bytes, $0) }
                visit(field)
            }
        case .key(let key): take(key: key.range.lowerBound + 1..<key.range.upperBound - 1)
        case .scalar(let value):
            var field = TextField(value: value.range, names: names, outerName: frames[last].outerName, spelling: .json)
            switch value.kind {
            case .string:
                field.value = value.range.lowerBound + 1..<value.range.upperBound - 1
                if frames[last].isObject { frames[last].texts.append(field.value) }
            case .number: field.isNumber = true
            default: return
            }
            if frames[last].isLabeled, let object = frames.lastIndex(where: { $0.isObject }) {
                frames[object].labeled.append(field)
            } else {
                visit(field)
            }
        }
    }

    private mutating func take(key: Range<Int>) {
        let last = frames.count - 1
        let name = bytes.part(key)
        var names = [key]
        if !frames[last].names.isEmpty, name.isOne(of: Self.contents) { names += frames[last].names }
        let end = name.count - (name.at(name.count - 1).lowercased == UInt8(ascii: "s") ? 1 : 0)
        frames[last].isLabeled = name.hasIgnoringCase("value", at: end - 5)
        if frames[last].isLabeled { names += frames[last].texts.compactMap { FieldName.title(bytes, $0) } }
        frames[last].nextNames = names
    }
}
