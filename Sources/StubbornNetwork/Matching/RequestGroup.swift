/// Recorded requests that differ only in the names of their placeholders.
struct RequestGroup: Sendable {
    /// All that the requests have in common.
    struct Form: Hashable, Sendable {
        let request: RequestTemplate
        let fields: HeaderTemplate
        /// The template of method, URL and body, if the matchers leave out some of it.
        let whole: RequestTemplate?
        /// A Boolean value that indicates whether the requests come after all others that match.
        let isLate: Bool
    }

    /// The requests of a group that have the same placeholders.
    struct Family: Sendable {
        let wildcards: [Wildcard]
        /// The positions of the requests, in ascending order.
        fileprivate(set) var members: [Int] = []
    }

    let form: Form
    /// The number of the group in its index.
    let number: Int
    /// The names of the places of the wildcards, which are the same in all groups that match a request.
    let places: [String]
    /// The number of wildcards before those in cookies, which are the last ones.
    let firstCookie: Int

    /// The positions of the requests, in ascending order.
    private(set) var members: [Int] = []
    /// The families, in the order of their first members.
    private(set) var families: [Family] = []
    /// The families in which a placeholder has a name.
    private(set) var familiesByName: [String: [Int]] = [:]
    /// The offsets of the wildcards that have a name in any member.
    private(set) var named: [Int] = []
    private var familyNumbers: [[Wildcard]: Int] = [:]
    private var familiesByMember: [Int: Int] = [:]

    init(_ form: Form, number: Int, places: [String]) {
        (self.form, self.number, self.places) = (form, number, places)
        firstCookie = places.firstIndex { $0.hasPrefix(HeaderTemplate.cookie) } ?? places.count
    }

    /// Returns the family of a position in the group.
    func family(of position: Int) -> Family? { familiesByMember[position].map { families[$0] } }

    /// Returns a Boolean value that indicates whether a placeholder has a name at a place.
    func has(_ name: String, at place: String) -> Bool {
        familiesByName[name]?.contains { family in
            zip(places, families[family].wildcards).contains { $0 == place && $1.name == name }
        } == true
    }

    /// Adds a request with its wildcards.
    mutating func append(_ position: Int, _ wildcards: [Wildcard]) {
        members.append(position)
        let number = familyNumbers[wildcards] ?? families.count
        if number == families.count {
            familyNumbers[wildcards] = number
            families.append(Family(wildcards: wildcards))
            for name in Set(wildcards.compactMap(\.name)) { familiesByName[name, default: []].append(number) }
            named = Set(named).union(wildcards.indices.filter { wildcards[$0].name != nil }).sorted()
        }
        familiesByMember[position] = number
        families[number].members.append(position)
    }
}
