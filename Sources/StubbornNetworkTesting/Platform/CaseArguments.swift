import Foundation
import StubbornNetwork
import Testing

/// The arguments of a test case, which are not public in Swift Testing: read by reflection.
///
/// If that finds none, the cases of a test share a file.
struct CaseArguments {
    /// The arguments as texts for the names of files.
    ///
    /// The last text is a checksum of the arguments if they are long, or if another case of the test has the same texts, or
    /// texts that differ only in spaces or case.
    let descriptions: [String]

    /// The arguments as a text that is the same in each process, and differs for different arguments.
    private let identity: String

    /// The longest description of a case, in bytes.
    private static let maximumByteCount = 80

    /// The file names that several cases of a test would have, in lower case, by the test.
    private static let shared = Lock<[Test.ID: Set<String>]>([:])

    init(_ testCase: Test.Case, of test: Test) {
        let plain = Self(testCase)
        let shared = Self.shared.withLock { $0[test.id] } ?? Self.sharedNames(of: test)
        Self.shared.withLock { $0[test.id] = shared }
        identity = plain.identity
        let name = plain.descriptions.joined(separator: "_")
        if name.utf8.count > Self.maximumByteCount {
            descriptions = [String(name.prefix(Self.maximumByteCount / 2)), StubFileLocation.checksum(of: identity)]
        } else if shared.contains(plain.fileName) {
            descriptions = plain.descriptions + [StubFileLocation.checksum(of: identity)]
        } else {
            descriptions = plain.descriptions
        }
    }

    private init(_ testCase: Test.Case) {
        let list = Self.child("arguments", of: testCase, depth: 0).map { Mirror(reflecting: $0) }
        let arguments = (list?.children.map(\.value) ?? []).map { argument in
            Mirror(reflecting: argument).children.first { $0.label == "value" }?.value ?? argument
        }
        descriptions = arguments.map(Self.description)
        identity = arguments.map(Self.identity).joined(separator: "\n")
    }

    /// The name of a file, as a file system compares it that ignores case.
    private var fileName: String {
        let name = descriptions.joined(separator: "_")
        return (StubFileLocation.fileName(for: name) ?? name).lowercased()
    }

    private static func sharedNames(of test: Test) -> Set<String> {
        func cases(_ sequence: some Sequence) -> [Self] { sequence.compactMap { $0 as? Test.Case }.map { Self($0) } }
        let state = Mirror(reflecting: test).children.first { $0.label == "testCasesState" }?.value
        guard let sequence = state.flatMap({ child("evaluated", of: $0, depth: 0) }) as? any Sequence else { return [] }
        let byName = Dictionary(grouping: cases(sequence), by: \.fileName)
        return Set(byName.filter { Set($0.value.map(\.identity)).count > 1 }.keys)
    }

    /// Returns the first value with a label inside another value.
    private static func child(_ label: String, of value: Any, depth: Int) -> Any? {
        let children = Mirror(reflecting: value).children
        if let found = children.first(where: { $0.label == label }) { return found.value }
        guard depth < 4 else { return nil }
        return children.lazy.compactMap { child(label, of: $0.value, depth: depth + 1) }.first
    }

    /// Returns the description that the argument's type gives it for tests, or else its usual one, without quotation marks.
    static func description(of argument: Any) -> String {
        if let text = argument as? any StringProtocol { return "\(text)" }
        if let argument = argument as? any CustomTestStringConvertible { return argument.testDescription }
        let mirror = Mirror(reflecting: argument)
        let children = mirror.children.map { description(of: $0.value) }
        switch mirror.displayStyle {
        case .tuple: return "(\(children.joined(separator: ", ")))"
        case .collection: return children.joined(separator: ", ")
        case .set, .dictionary: return children.sorted().joined(separator: ", ")
        default: return String(describing: argument).filter { $0 != "\"" }
        }
    }

    private static func identity(of argument: Any) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        if let argument = argument as? any Encodable, let data = try? encoder.encode(argument) {
            return String(decoding: data, as: UTF8.self)
        }
        return String(reflecting: argument)
    }
}
