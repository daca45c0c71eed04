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

    init(bytes: Bytes, place: NamePlace, depth: Int, readsValues: Bool = true) {
        (self.bytes, self.place, self.depth, self.readsValues) = (bytes, place, depth, readsValues)
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
