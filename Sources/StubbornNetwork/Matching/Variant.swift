/// Recorded requests of one form whose header fields differ only in the names of placeholders.
struct Variant: Sendable {
    let fields: HeaderTemplate
    /// The template of method, URL and body, if the matchers leave out some of it.
    let whole: RequestTemplate?
    /// The names of the places of the holes, which are the same in all variants of a form.
    let places: [String]
    /// The number of holes before those in cookies, which are the last ones.
    let firstCookie: Int
    /// A Boolean value that indicates whether the requests come after all others that match.
    let isLate: Bool

    /// The requests of one variant that have the same placeholders.
    struct Family: Sendable {
        let holes: [Hole]
        /// The positions of the requests, in ascending order.
        fileprivate(set) var members: [Int] = []

        /// Returns the name of the placeholder in a hole; `nil` for a hole without a name.
        func name(of hole: Int) -> String? { holes[hole].kind == .named ? holes[hole].placeholder : nil }
    }

    /// The positions of the requests, in ascending order.
    private(set) var members: [Int] = []
    /// The families, in the order of their first members.
    private(set) var families: [Family] = []
    private var familyNumbers: [[Hole]: Int] = [:]
    /// The families in which a placeholder has a name.
    private(set) var familiesByName: [String: [Int]] = [:]

    /// The offsets of the holes that belong to a name in any member.
    private(set) var named: [Int] = []

    init(fields: HeaderTemplate, whole: RequestTemplate?, places: [String], isLate: Bool) {
        (self.fields, self.whole, self.places, self.isLate) = (fields, whole, places, isLate)
        firstCookie = places.firstIndex { $0.hasPrefix(HeaderTemplate.cookie) } ?? places.count
    }

    /// The family of each member.
    private var familyOfMembers: [Int] = []

    /// Returns the family of a position; `nil` for one that is not in the variant.
    func family(of position: Int) -> Family? {
        var range = members.indices
        while let middle = range.isEmpty ? nil : (range.lowerBound + range.upperBound) / 2 {
            if members[middle] == position { return families[familyOfMembers[middle]] }
            range = members[middle] < position ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    /// Adds a request with its holes.
    mutating func append(_ position: Int, _ holes: [Hole]) {
        members.append(position)
        let number = familyNumbers[holes] ?? families.count
        if number == families.count {
            familyNumbers[holes] = number
            families.append(Family(holes: holes))
            for (index, hole) in holes.enumerated() where hole.kind == .named {
                if familiesByName[hole.placeholder]?.last != number {
                    familiesByName[hole.placeholder, default: []].append(number)
                }
                if !named.contains(index) { named.append(index) }
            }
        }
        familyOfMembers.append(number)
        families[number].members.append(position)
    }
}
