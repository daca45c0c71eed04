import Testing

/// The arguments of a test case, which are not public in Swift Testing: read by reflection.
///
/// If that finds none, the cases of a test share a file.
struct CaseArguments {
    /// The descriptions of the arguments.
    let descriptions: [String]

    init(_ testCase: Test.Case) {
        descriptions = Self.arguments(in: testCase, depth: 0).map { argument in
            let value = Mirror(reflecting: argument).children.first { $0.label == "value" }?.value
            return String(describing: value ?? argument)
        }
    }

    private static func arguments(in value: Any, depth: Int) -> [Any] {
        guard depth < 4 else { return [] }
        for child in Mirror(reflecting: value).children {
            if child.label == "arguments" { return Mirror(reflecting: child.value).children.map(\.value) }
            let found = arguments(in: child.value, depth: depth + 1)
            if !found.isEmpty { return found }
        }
        return []
    }
}
