import Foundation
import StubbornNetwork
import Testing

/// The arguments of a test case, which are not public in Swift Testing: read by reflection.
struct CaseArguments {
    /// The arguments as strings for file names.
    private let descriptions: [String]

    /// The arguments as a string that is the same in each process, and different for different arguments.
    private let identity: String

    /// The longest description of a case, in bytes.
    private static let maximumByteCount = 80

    /// The file names that several cases of a test would share, in lower case, by the test.
    private static let shared = Lock<[Test.ID: Set<String>]>([:])

    /// Returns the arguments of a case as strings for file names.
    ///
    /// The last string is a checksum if the arguments are long, or if a different case has strings that differ at most
    /// in spaces or case.
    ///
    /// - Throws: `StubbornNetworkError` for a version of Swift Testing that stores them elsewhere. Without them, cases
    ///   would share a file.
    static func descriptions(of testCase: Test.Case, in test: Test) throws -> [String] {
        guard test.isParameterized else { return [] }
        let arguments = try Self(testCase)
        let ambiguous = try shared.withLock { $0[test.id] } ?? sharedNames(of: test)
        shared.withLock { $0[test.id] = ambiguous }
        let checksum = StubFileLocation.checksum(of: arguments.identity)
        let name = arguments.descriptions.joined(separator: "_")
        if name.utf8.count > maximumByteCount { return [String(name.prefix(maximumByteCount / 2)), checksum] }
        return ambiguous.contains(arguments.fileName) ? arguments.descriptions + [checksum] : arguments.descriptions
    }

    private init(_ testCase: Any) throws(StubbornNetworkError) {
        let arguments = try Self.arguments(of: testCase)
        descriptions = arguments.map(Self.description)
        identity = arguments.map(Self.identity).joined(separator: "\n")
    }

    /// Returns the values of the arguments of a case.
    static func arguments(of testCase: Any) throws(StubbornNetworkError) -> [Any] {
        let list = HiddenParts.content("arguments", of: testCase, depth: 4).map { Mirror(reflecting: $0) }
        let values = list?.children.map { HiddenParts.part("value", of: $0.value) } ?? []
        guard !values.isEmpty, !values.contains(where: { $0 == nil }) else {
            throw .unsupportedVersion(of: "Swift Testing", without: "Test.Case.arguments")
        }
        return values.compactMap { $0 }
    }

    /// Returns the cases of a test.
    ///
    /// Up to Swift Testing 6.3, they are in `testCasesState`; since 6.4, in `_properties.value.testCasesState`.
    static func cases(of test: Any) throws(StubbornNetworkError) -> [Any] {
        let state = HiddenParts.content("testCasesState", of: test, depth: 2)
        let cases = state.flatMap { HiddenParts.part("evaluated", of: $0) } as? any Sequence
        guard let cases = cases.map({ $0.map { $0 as Any } }), !cases.isEmpty else {
            throw .unsupportedVersion(of: "Swift Testing", without: "Test.testCasesState")
        }
        return cases
    }

    /// The name of a file, as a file system that ignores case compares it.
    private var fileName: String {
        let name = descriptions.joined(separator: "_")
        return (StubFileLocation.fileName(for: name) ?? name).lowercased()
    }

    private static func sharedNames(of test: Test) throws(StubbornNetworkError) -> Set<String> {
        let cases = try cases(of: test).map { testCase throws(StubbornNetworkError) in try Self(testCase) }
        let byName = Dictionary(grouping: cases, by: \.fileName)
        // Compared as bytes, because strings are equal however their accents are encoded.
        return Set(byName.filter { Set($0.value.map { Array($0.identity.utf8) }).count > 1 }.keys)
    }

    /// Returns the description that the argument's type gives it for tests, or else its usual description, without
    /// quotation marks.
    ///
    /// The usual description of a set or a dictionary inside an argument is in a different order in each process, so such an
    /// argument is described by its members.
    static func description(of argument: Any) -> String {
        if let text = argument as? any StringProtocol { return "\(text)" }
        let mirror = Mirror(reflecting: argument)
        // Swift Testing describes an optional by itself, also one with a set.
        if mirror.displayStyle == .optional { return mirror.children.first.map { description(of: $0.value) } ?? "nil" }
        if let argument = argument as? any CustomTestStringConvertible { return argument.testDescription }
        lazy var children = mirror.children.map { description(of: $0.value) }
        switch mirror.displayStyle {
        case .tuple: return "(\(children.joined(separator: ", ")))"
        case .collection: return children.joined(separator: ", ")
        case .set, .dictionary: return children.sorted().joined(separator: ", ")
        case _ where !(mirror.subjectType is any CustomStringConvertible.Type) && isUnordered(argument):
            return children.joined(separator: ", ")
        default: return String(describing: argument).filter { $0 != "\"" }
        }
    }

    /// Returns a Boolean value that indicates whether an argument is, or contains, a set or a dictionary that is in a different order
    /// in each process: it has several members, and in JSON, keys that are not sorted.
    private static func isUnordered(_ argument: Any, inJSON: Bool = false) -> Bool {
        let mirror = Mirror(reflecting: argument)
        switch mirror.displayStyle {
        case .dictionary where inJSON && (argument is [String: Any] || argument is [Int: Any]): break
        case .set where mirror.children.count > 1, .dictionary where mirror.children.count > 1: return true
        // Objects may refer to each other in a circle.
        case .class: return false
        default: break
        }
        return mirror.children.contains { isUnordered($0.value, inJSON: inJSON) }
    }

    static func identity(of argument: Any) -> String {
        if isUnordered(argument, inJSON: argument is any Encodable) {
            let mirror = Mirror(reflecting: argument)
            let members = mirror.children.map { "\($0.label ?? ""): \(identity(of: $0.value))" }
            return "\(mirror.displayStyle == .collection ? members : members.sorted())"
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        if let argument = argument as? any Encodable, let data = try? encoder.encode(argument) {
            return String(decoding: data, as: UTF8.self)
        }
        return String(reflecting: argument)
    }
}
