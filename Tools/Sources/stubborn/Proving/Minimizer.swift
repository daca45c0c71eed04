import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The search for the smallest responses with which the tests still pass.
///
/// Parts are removed in groups, the largest first: the elements of long lists, then members from the outside to the inside,
/// then header fields. If the tests fail without a group, its halves are tried.
struct Minimizer {
    /// A part of a response that may not be needed.
    struct Part: Hashable {
        enum Kind: Hashable {
            /// The elements of a list after the first ones.
            case elements(behind: Int)
            case member
            case field
        }

        let kind: Kind
        /// The position of the stub, from 1.
        let stub: Int
        /// The keys that lead to it, as in `ResponseChange`; for a header field, its name.
        let path: [String]

        var text: String {
            switch kind {
            case .elements(let count):
                (path.isEmpty ? "" : "\(ResponseChange.keyPath(path)): ") + "all but the first \(count) elements"
            case .member: ResponseChange.keyPath(path)
            case .field: "header field \(path.joined())"
            }
        }
    }

    /// The number of elements that a list keeps in any case.
    private static let keptCount = 3

    private let command: TestCommand
    private let file: StubFile
    private let budget: Double
    private var end = DispatchTime.distantFuture
    /// The paths by which networks name the file.
    private let paths: Set<String>
    private let positions: [Int]
    /// The tests that pass with the unchanged file; empty if the command does not list its tests.
    private let passing: Set<String>
    private let limit: Double
    /// The parts that no test needs.
    private(set) var removed: [Part] = []
    private(set) var runCount = 1
    private(set) var isComplete = true

    /// The parts that no test needs, without parts inside other such parts.
    var outermostRemoved: [Part] {
        let members = Set(removed.filter { $0.kind == .member })
        return removed.filter { part in
            part.kind == .field
                || !(0...part.path.count).contains { count in
                    let member = Part(kind: .member, stub: part.stub, path: Array(part.path.prefix(count)))
                    return member != part && members.contains(member)
                }
        }
    }

    /// Runs the tests without a change.
    ///
    /// - Throws: `ToolError` if they fail, or do not use the file.
    init(_ command: TestCommand, _ file: StubFile, budget seconds: Double) throws {
        (self.command, self.file, budget) = (command, file, seconds)
        let first = try command.run(isFirst: true, reports: true)
        passing = Set(first.outcomes.filter { $0.value == .passed }.keys)
        limit = first.seconds * 5 + 30
        guard first.status == 0 else {
            throw ToolError(
                "The tests fail without a change, so they cannot show what they need.\n\(first.lastLines)"
            )
        }
        let path = Git.realPath(file.url.path)
        let uses = first.uses.filter { Git.realPath($0.file) == path }
        guard !uses.isEmpty else {
            throw ToolError("No test of this command has used \(file.url.relativePath.printable).")
        }
        paths = Set(uses.map(\.file))
        positions = file.stubs.indices.map { $0 + 1 }.filter { position in
            uses.contains { !$0.unusedPositions.contains(position) }
        }
    }

    /// Returns the file without the parts that no test needs.
    func minimized() throws -> StubFile { try minimized(removed) }

    private func minimized(_ parts: [Part]) throws -> StubFile {
        var file = file
        for (position, parts) in Dictionary(grouping: parts, by: \.stub) {
            var tree = ChangeTree()
            for part in parts {
                switch part.kind {
                case .elements(let count): tree.shorten(to: count, at: part.path[...])
                case .member: tree.add(.missing, at: part.path[...])
                case .field: break
                }
            }
            let fields = Set(parts.filter { $0.kind == .field }.flatMap(\.path))
            try file.changeStub(at: position - 1) { body in
                tree.changed(body)
            } head: { head in
                head.headerFields = HeaderFields(head.headerFields.filter { !fields.contains($0.name.lowercased()) })
            }
        }
        return file
    }

    /// Removes the parts that no test needs, until everything was tried or the time has run out.
    mutating func run() throws {
        end = .now() + budget
        let bodies = positions.compactMap { position in
            file.stub(at: position - 1).response.body.flatMap(JSONText.init).map { (position, $0) }
        }
        try shortenLists(in: bodies)
        try removeMembers(of: bodies)
        let fields = positions.flatMap { position in
            let names = file.stub(at: position - 1).response.head?.headerFields.map { $0.name.lowercased() } ?? []
            return Set(names).sorted().map { Part(kind: .field, stub: position, path: [$0]) }
        }
        _ = try remove(fields)
    }

    private mutating func shortenLists(in bodies: [(Int, JSONText)]) throws {
        var lengths: [Part: Int] = [:]
        for (position, body) in bodies {
            body.visit { path, value in
                guard case .array(let elements) = value, elements.count > Self.keptCount else { return }
                let part = Part(kind: .elements(behind: Self.keptCount), stub: position, path: path)
                lengths[part] = max(lengths[part] ?? 0, elements.count)
            }
        }
        var needed = try remove(
            lengths.keys.sorted {
                ($0.stub, $0.path.count, $0.path.joined(separator: ".")) < (
                    $1.stub, $1.path.count, $1.path.joined(separator: ".")
                )
            }
        )
        // A test that needs a later element gets twice as many, and so on.
        while !needed.isEmpty {
            let longer = needed.compactMap { part -> Part? in
                guard case .elements(let count) = part.kind,
                    let length = lengths[
                        Part(kind: .elements(behind: Self.keptCount), stub: part.stub, path: part.path)
                    ],
                    count * 2 < length
                else { return nil }
                return Part(kind: .elements(behind: count * 2), stub: part.stub, path: part.path)
            }
            needed = try remove(longer)
        }
    }

    private mutating func removeMembers(of bodies: [(Int, JSONText)]) throws {
        var members: [[Part]] = []
        var known: Set<Part> = []
        for (position, body) in bodies {
            body.visit { path, _ in
                guard let last = path.last, last != ResponseChange.element else { return }
                let part = Part(kind: .member, stub: position, path: path)
                guard known.insert(part).inserted else { return }
                while members.count < path.count { members.append([]) }
                members[path.count - 1].append(part)
            }
        }
        for level in members {
            let gone = Set(removed.filter { $0.kind == .member })
            _ = try remove(
                level.filter { part in
                    !(1..<part.path.count).contains { count in
                        gone.contains(Part(kind: .member, stub: part.stub, path: Array(part.path.prefix(count))))
                    }
                }
            )
        }
    }

    /// Removes parts that no test needs.
    ///
    /// - Parameters:
    ///   - parts: The parts.
    ///   - isNeeded: A Boolean value that indicates whether the tests are known to fail without all of them.
    /// - Returns: The parts that are needed.
    /// - Throws: `ToolError` if the tests cannot be run.
    private mutating func remove(_ parts: [Part], isNeeded: Bool = false) throws -> [Part] {
        if parts.isEmpty { return [] }
        guard DispatchTime.now() < end else {
            isComplete = false
            return parts
        }
        if !isNeeded, try passes(without: removed + parts) {
            removed += parts
            return []
        }
        if parts.count == 1 { return parts }
        let middle = parts.count / 2
        let first = try remove(Array(parts[..<middle]))
        return try first + remove(Array(parts[middle...]), isNeeded: first.isEmpty)
    }

    private mutating func passes(without parts: [Part]) throws -> Bool {
        let text = try minimized(parts).text()
        runCount += 1
        let run = try command.run(
            playing: Dictionary(uniqueKeysWithValues: paths.map { ($0, text) }),
            timeout: limit
        )
        return run.status == 0 && passing.allSatisfy { run.outcomes[$0] == .passed }
    }
}

extension JSONText {
    /// Visits all values, each before the values inside it, with the keys that lead to it.
    func visit(at path: [String] = [], _ body: ([String], JSONText) -> Void) {
        body(path, self)
        switch self {
        case .scalar: break
        case .array(let elements): for element in elements { element.visit(at: path + [ResponseChange.element], body) }
        case .object(let members): for member in members { member.value.visit(at: path + [member.name], body) }
        }
    }
}
