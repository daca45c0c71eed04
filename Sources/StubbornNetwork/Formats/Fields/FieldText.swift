/// A text while its fields are visited, and the edits so far.
struct FieldText {
    /// The number of formats inside each other that are decoded; what lies deeper is searched as text.
    static let maximumDepth = 6

    let bytes: Bytes
    let place: NamePlace
    /// The number of formats around the text.
    let depth: Int

    /// A Boolean value that indicates whether values are read by themselves, as texts of other formats.
    var readsValues = true

    var edits: [Edit] = []

    /// The method that a remote call has named: `login` in `{"method": "login", "params": […]}`.
    var method: Range<Int>?

    /// The answers of `mentions`, by the address of the first name.
    private var mentioned: [UnsafePointer<UInt8>: Bool] = [:]

    /// The arguments that a query gives variables to, by the variables' names.
    private var arguments: [[UInt8]: Range<Int>]?

    init(bytes: Bytes, place: NamePlace, depth: Int, readsValues: Bool = true) {
        (self.bytes, self.place, self.depth, self.readsValues) = (bytes, place, depth, readsValues)
    }

    /// Returns the argument that a GraphQL query in the text gives a variable to: `password` for `p` in
    /// `login(password: $p)`.
    mutating func argument(ofVariable name: Bytes) -> Range<Int>? {
        if arguments == nil {
            var found: [[UInt8]: Range<Int>] = [:]
            var next = 0
            let isQuery = bytes.position(of: "\"query\"", from: 0) != nil
            while isQuery, let dollar = bytes.position(of: UInt8(ascii: "$"), from: next) {
                let end = bytes.end(from: dollar + 1) { $0.isAlphanumeric || $0 == .underscore }
                next = Swift.max(end, dollar + 1)
                let colon = bytes.start(before: dollar, while: \.isSpace) - 1
                let nameEnd = bytes.start(before: Swift.max(colon, 0), while: \.isSpace)
                let start = bytes.start(before: nameEnd) { $0.isAlphanumeric || $0 == .underscore }
                if bytes.at(colon) == .colon, start < nameEnd {
                    found[Array(bytes[dollar + 1..<end])] = start..<nameEnd
                }
            }
            arguments = found
        }
        return arguments?.isEmpty == false ? arguments?[Array(name)] : nil
    }

    /// Returns a Boolean value that indicates whether any of the names is a word of the text, which is searched once.
    mutating func mentions(_ names: [StaticString]) -> Bool {
        let key = names[0].utf8Start
        if let known = mentioned[key] { return known }
        let isMentioned = names.contains(where: bytes.hasWord)
        mentioned[key] = isMentioned
        return isMentioned
    }
}
