/// The parts of a request that matchers leave out, by their names in code and settings.
package struct IgnoredParts: Codable, Hashable, Sendable {
    var queryItems: [String] = []
    /// The paths whose parameters are left out: `/users/:id`.
    var pathParameters: [String] = []
    var headerFields: [String] = []
    /// The key paths of members of JSON bodies.
    package var jsonKeyPaths: [String] = []
    /// The names of fields of forms, and of parts of `multipart/form-data`.
    var bodyFields: [String] = []

    /// The names as requests spell them when they are compared.
    struct Spelled: Sendable {
        let queryItems: Set<String>
        let paths: [PathTemplate]
        /// The names in lower case.
        let headerFields: Set<String>
        let keyPaths: [JSONKeyPath]
        let bodyFields: Set<String>

        /// Returns a path in the form for comparison: a template that matches it replaces the path.
        func comparable(_ path: String) -> String { paths.first { $0.match(path) != nil }?.text ?? path }
    }

    /// The lists of names, each with the part of requests that the names are in and the label of the list in code, in the order of
    /// the code that makes a matcher.
    static var lists: [(part: ComparedRequest.Part, label: String, names: WritableKeyPath<Self, [String]>)] {
        [
            (.path, "ignoringPathParameters", \.pathParameters),
            (.query, "ignoringQueryItems", \.queryItems),
            (.header, "ignoring", \.headerFields),
            (.bytes, "ignoringFields", \.bodyFields),
            (.bytes, "ignoringJSONKeyPaths", \.jsonKeyPaths),
        ]
    }

    var isNothing: Bool { self == IgnoredParts() }

    var spelled: Spelled {
        Spelled(
            queryItems: Set(queryItems.flatMap(QueryItem.spellings)),
            paths: pathParameters.map(PathTemplate.init(spelling:)),
            headerFields: Set(headerFields.map { $0.lowercased() }),
            keyPaths: jsonKeyPaths.map { JSONKeyPath($0) },
            bodyFields: Set(bodyFields)
        )
    }

    /// Adds the names of other parts that are missing here and meet a condition.
    mutating func add(_ other: IgnoredParts, where isWanted: (ComparedRequest.Part) -> Bool = { _ in true }) {
        guard !other.isNothing else { return }
        for list in Self.lists where isWanted(list.part) {
            let names = self[keyPath: list.names]
            self[keyPath: list.names] += other[keyPath: list.names].filter { !names.contains($0) }
        }
    }
}
