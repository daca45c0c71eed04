/// The header fields of a recorded request, with holes that stand for any value.
///
/// Header fields are not compared by default. They rank requests that are otherwise equal.
struct HeaderTemplate: Hashable, Sendable {
    /// The fields without holes; names and values as hashes, sorted.
    private let literals: [Field]
    private let templates: [Template]
    /// The values of cookies with holes, by the names of the cookies; other cookies do not count.
    private let cookies: [Template]

    fileprivate struct Field: Hashable, Comparable, Sendable {
        let name: Int
        let value: Int

        static func < (left: Self, right: Self) -> Bool { left.name < right.name }
    }

    private struct Template: Hashable, Sendable {
        let name: String
        let value: ValueTemplate
    }

    /// The header fields of a live request.
    struct Live: Sendable {
        fileprivate let fields: [String: String]
        fileprivate let hashes: [Field]
        fileprivate let cookies: [String: String]

        init(_ request: StubRequest) {
            fields = HeaderComparison.fields(of: request)
            hashes = HeaderTemplate.hashes(fields)
            cookies = HeaderTemplate.cookies(of: request)
        }
    }

    /// The beginning of the names of places in cookies.
    static let cookie = "cookie "

    /// A template, its holes in the order in which they are captured, and the names of their places.
    typealias Compiled = (template: HeaderTemplate, holes: [Hole], places: [String])

    /// Returns the template of a recorded request.
    static func compiled(_ request: StubRequest, _ forms: PlaceholderForms) -> Compiled {
        var (holes, places): ([Hole], [String]) = ([], [])
        let template = HeaderTemplate(request, forms, holes: &holes, places: &places)
        return (template, holes, places)
    }

    private init(_ request: StubRequest, _ forms: PlaceholderForms, holes: inout [Hole], places: inout [String]) {
        var fields = HeaderComparison.fields(of: request)
        func read(_ fields: [String: String], _ kind: String) -> [Template] {
            fields.sorted { $0.key < $1.key }.compactMap { name, value in
                guard let compiled = value.withBytes({ ValueTemplate.text($0, forms) }) else { return nil }
                holes += compiled.holes
                places += compiled.holes.indices.map { "\(kind)\(name) \($0)" }
                return Template(name: name, value: compiled.template)
            }
        }
        let templates = read(fields, "field ")
        self.templates = templates
        for template in templates { fields[template.name] = nil }
        literals = Self.hashes(fields)
        cookies = read(Self.cookies(of: request), Self.cookie)
    }

    /// Returns the number of fields that differ, and adds the live values in the holes.
    func differences(from live: Live, into captures: inout ValueTemplate.Captures) -> Int {
        var count = literals.isEmpty && live.hashes.isEmpty ? 0 : Self.differences(literals, live.hashes)
        for template in templates {
            // The literals do not have it, so it was counted as a difference.
            if live.fields[template.name] != nil { count -= 1 }
            let isMatch = live.fields[template.name]?.withBytes { template.value.match($0, into: &captures) } ?? false
            guard !isMatch else { continue }
            count += 1
            captures.values += Array(repeating: [], count: template.value.holeCount)
        }
        for cookie in cookies {
            let isMatch = live.cookies[cookie.name]?.withBytes { cookie.value.match($0, into: &captures) } ?? false
            if !isMatch { captures.values += Array(repeating: [], count: cookie.value.holeCount) }
        }
        return count
    }

    private static func hashes(_ fields: [String: String]) -> [Field] {
        fields.map { Field(name: $0.key.hashValue, value: $0.value.hashValue) }.sorted()
    }

    /// Returns the number of names that only one list has, or that have different values.
    private static func differences(_ first: [Field], _ second: [Field]) -> Int {
        var (count, left, right) = (0, 0, 0)
        while left < first.count, right < second.count {
            let (one, other) = (first[left], second[right])
            if one.name == other.name {
                count += one.value == other.value ? 0 : 1
                (left, right) = (left + 1, right + 1)
            } else {
                count += 1
                if one.name < other.name { left += 1 } else { right += 1 }
            }
        }
        return count + first.count - left + second.count - right
    }

    private static func cookies(of request: StubRequest) -> [String: String] {
        guard let value = request.headerFields["Cookie"] else { return [:] }
        return value.withBytes { bytes in
            let pairs = bytes.parts(of: 0..<bytes.count, separatedBy: .semicolon).compactMap {
                part -> (String, String)? in
                let pair = bytes.trimmed(part)
                guard let equals = bytes.position(of: .equals, from: pair.lowerBound, to: pair.upperBound) else {
                    return nil
                }
                return (bytes.part(pair.lowerBound..<equals).text, bytes.part(equals + 1..<pair.upperBound).text)
            }
            return Dictionary(pairs) { first, _ in first }
        }
    }
}
