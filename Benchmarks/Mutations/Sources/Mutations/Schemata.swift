/// A source file into which all its mutants are compiled; a number switches each one on.
///
/// `a < b` becomes `(isMutant(7) ? (a <= b) : (a < b))`. One build serves all mutants.
public struct Schemata {
    /// The new source text.
    public private(set) var text = ""
    /// The lines of each mutant in the new text, by its number.
    public private(set) var lines: [Int: ClosedRange<Int>] = [:]

    /// Inserts mutants, by their number, into a source text.
    public init(_ source: String, _ mutants: [Int: Mutant]) {
        struct Insertion {
            let offset: Int
            let text: String
            let number: Int
            let isEnd: Bool
            /// At the same place, inner mutants end first, and outer ones begin first.
            let order: (Int, Int, Int, Int)
        }
        var insertions: [Insertion] = []
        for (number, mutant) in mutants {
            let (prefix, suffix) = mutant.switching(number)
            let (start, end, length) = (mutant.range.lowerBound, mutant.range.upperBound, mutant.range.count)
            insertions += [
                Insertion(
                    offset: start,
                    text: prefix,
                    number: number,
                    isEnd: false,
                    order: (start, 1, -length, number)
                ),
                Insertion(offset: end, text: suffix, number: number, isEnd: true, order: (end, 0, length, -number)),
            ]
        }
        let bytes = Array(source.utf8)
        var (position, line) = (0, 1)
        var starts: [Int: Int] = [:]
        func add(_ piece: String) {
            text += piece
            line += piece.utf8.count { $0 == UInt8(ascii: "\n") }
        }
        for insertion in insertions.sorted(by: { $0.order < $1.order }) {
            add(String(decoding: bytes[position..<insertion.offset], as: UTF8.self))
            position = insertion.offset
            if !insertion.isEnd { starts[insertion.number] = line }
            add(insertion.text)
            if insertion.isEnd, let start = starts[insertion.number] { lines[insertion.number] = start...line }
        }
        add(String(decoding: bytes[position...], as: UTF8.self))
    }

    /// Returns the mutants that may cause an error in a line: the mutants in the line, or else the nearest one.
    public func mutants(near line: Int) -> [Int] {
        let hit = lines.filter { $0.value.contains(line) }.map(\.key)
        guard hit.isEmpty else { return hit }
        return lines.min { distance($0.value, line) < distance($1.value, line) }.map { [$0.key] } ?? []
    }

    private func distance(_ lines: ClosedRange<Int>, _ line: Int) -> Int {
        min(abs(lines.lowerBound - line), abs(lines.upperBound - line))
    }

    /// Returns the source of the function `isMutant`, which says whether a mutant is on.
    ///
    /// The numbers of the mutants are read from a file, so that all processes have the same ones. This includes processes that the
    /// tests start with a different environment.
    public static func switchSource(numberFile: String) -> String {
        """
        import Foundation

        private let mutants: Set<Int> = {
            let text = (try? String(contentsOfFile: "\(numberFile)", encoding: .utf8)) ?? ""
            return Set(text.split(separator: " ").compactMap { Int($0) })
        }()

        @usableFromInline func isMutant(_ number: Int) -> Bool { !mutants.isEmpty && mutants.contains(number) }

        """
    }
}
