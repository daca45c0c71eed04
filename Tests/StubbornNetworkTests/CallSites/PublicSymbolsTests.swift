import Foundation
import Testing

/// The public symbols of all products, which a file lists, so that no change of the API is overlooked.
struct PublicSymbolsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let list = root.appendingPathComponent("Tests/PublicSymbols.txt")

    /// A type, or an extension of one, around the declarations of a file.
    private struct Scope {
        let indentation: Int
        let name: String
        /// The first words of the members that are public without saying so: cases and requirements.
        let publicMembers: [String]
        let isForTools: Bool
    }

    /// Returns the public declarations of a source file, each with the types around it: `Stub var request: StubRequest`.
    static func symbols(in source: String) -> [String] {
        let lines = source.components(separatedBy: "\n")
        var scopes: [Scope] = []
        var symbols: [String] = []
        for (index, line) in lines.enumerated() {
            let text = line.trimmingCharacters(in: .whitespaces)
            guard !text.isEmpty, !text.hasPrefix("//") else { continue }
            let indentation = line.prefix { $0 == " " }.count
            scopes.removeAll { $0.indentation >= indentation }
            let words = text.split(whereSeparator: { " :<(".contains($0) }).map(String.init)
            // What is only for tools of this repository may change in each version.
            let isForTools = text.hasPrefix("@_spi(Tools)") || scopes.contains(where: \.isForTools)
            // A line that goes on in the next one is of a string, such as a list of words.
            let isPublic = words.contains("public") && !text.hasSuffix("\\") && !isForTools
            let isMember = scopes.last.map { scope in
                scope.indentation + 4 == indentation && scope.publicMembers.contains(words.first ?? "")
            }
            if isPublic || isMember == true {
                let signature = signature(lines[index...].map { $0.trimmingCharacters(in: .whitespaces) })
                symbols.append((scopes.map(\.name) + [signature]).joined(separator: " "))
            }
            let kinds = ["struct", "class", "enum", "protocol", "actor", "extension"]
            let modifiers = ["public", "@_spi", "Tools)", "package", "final", "private", "fileprivate", "indirect"]
            guard let kind = words.firstIndex(where: kinds.contains), words.indices.contains(kind + 1),
                words[..<kind].allSatisfy(modifiers.contains)
            else { continue }
            let members = ["enum": ["case"], "protocol": ["var", "func", "static", "init"]][words[kind]] ?? []
            scopes.append(
                Scope(
                    indentation: indentation,
                    name: words[kind + 1],
                    publicMembers: isPublic ? members : [],
                    isForTools: isForTools
                )
            )
        }
        return symbols
    }

    /// Returns a declaration that begins with the first of some lines, on one line, without its body and its value.
    private static func signature(_ lines: [String]) -> String {
        var text = ""
        for line in lines {
            text += text.isEmpty || text.hasSuffix("(") || line.hasPrefix(")") ? line : " " + line
            let depth = text.reduce(0) { "([".contains($1) ? $0 + 1 : ")]".contains($1) ? $0 - 1 : $0 }
            if depth == 0 { break }
        }
        let isVariable = text.contains(" var ") || text.contains(" let ") || text.hasPrefix("case ")
        for end in isVariable ? [" {", " = "] : [" {"] {
            if let range = text.range(of: end) { text = String(text[..<range.lowerBound]) }
        }
        return text.replacingOccurrences(of: "public ", with: "").replacingOccurrences(
            of: "@discardableResult ",
            with: ""
        )
    }

    private static func allSymbols() throws -> [String] {
        // A default implementation is not listed beside its requirement.
        try Set(
            ["StubbornNetwork", "StubbornNetworkTesting", "StubbornNetworkTooling"].flatMap { product in
                let folder = root.appendingPathComponent("Sources/\(product)")
                let files = (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? [])
                    .sorted()
                return try files.filter { $0.hasSuffix(".swift") }.flatMap { file in
                    symbols(in: try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8))
                }.map { "\(product): \($0)" }
            }
        ).sorted()
    }

    @Test func `the public symbols are those that are listed`() throws {
        let symbols = try Self.allSymbols()
        if ProcessInfo.processInfo.environment["PUBLIC_SYMBOLS"] == "write" {
            try Data((symbols.joined(separator: "\n") + "\n").utf8).write(to: Self.list)
        }
        let listed = try String(contentsOf: Self.list, encoding: .utf8).split(separator: "\n").map(String.init)
        let change = symbols.difference(from: listed)
        let (added, removed) = (change.insertions.map(Self.element), change.removals.map(Self.element))
        #expect(
            added.isEmpty && removed.isEmpty,
            """
            The API has changed. If that is meant, run PUBLIC_SYMBOLS=write swift test --filter PublicSymbols, and say it in \
            the CHANGELOG.
            Added: \(added.joined(separator: "\n  "))
            Removed: \(removed.joined(separator: "\n  "))
            """
        )
    }

    private static func element(_ change: CollectionDifference<String>.Change) -> String {
        switch change {
        case .insert(_, let element, _), .remove(_, let element, _): element
        }
    }

    @Test func `symbols are found with the types around them, and what is not public is left out`() {
        let source = """
            public struct A: Sendable {
                public var b: Int { 0 }
                let hidden = 1
                public enum Kind: String {
                    /// A case.
                    case one, two
                    var isOne: Bool { self == .one }
                }
                public init(
                    _ b: Int = 1,
                    c: [String] = []
                ) {
                    case hidden
                }
            }
            extension A {
                public static func d<T>(_ d: T) -> A where T: Sendable { A() }
                package func hidden() {}
            }
            @_spi(Tools) public struct Q {
                public var hidden: Int
            }
            public protocol P {
                var e: Int { get }
            }
            """
        #expect(
            Self.symbols(in: source) == [
                "struct A: Sendable", "A var b: Int", "A enum Kind: String", "A Kind case one, two",
                "A init(_ b: Int = 1, c: [String] = [])", "A static func d<T>(_ d: T) -> A where T: Sendable",
                "protocol P", "P var e: Int",
            ]
        )
    }
}
