import Foundation

/// The values that only a server makes: known by what a whole run says about them.
///
/// A value is one of these if one of the following is so:
/// - A later request carries it after a response has given it, or it is the `id` of what a response says was created.
/// - It looks random, and is as long as the older one.
/// - Its name says that servers name or count something there (`ServerName`), all values with that name are new, and each takes
///   the place of one older value; or all have moved by one number.
/// - It is the name or the number of a machine, or one of several times that something took, and most values with that name
///   differ.
/// - It is a time, and another time has moved by as much: by the clock of a server that is not the real one.
/// - It is made of such values: `TASK-12`, `node:8906`.
///
/// Prices, counts, names and switches are none of these.
struct ServerMadeValues {
    typealias Value = StubChange.Value

    private var accepted: Set<TextWords.Pair> = []
    private var byName: [String: Renaming] = [:]
    /// The numbers by which counters have moved.
    private var offsets: Set<Int> = []
    private var times: [StubChange.MovedTime] = []

    init(_ exchanges: [(old: Stub?, new: Stub, values: [Value])], _ known: RenamedValues) {
        let values = exchanges.flatMap(\.values)
        var given: Set<TextWords.Pair> = []
        for values in exchanges.map(\.values) {
            for value in values where known.contains(value.pair) {
                let isCarried = !value.isInResponse && given.contains(value.pair)
                let isVolatile = value.isVolatile && value.pair.isTelling
                if isCarried || isVolatile || value.isNewID || value.isAlikeAndRandom { accepted.insert(value.pair) }
            }
            given.formUnion(values.filter(\.isInResponse).map(\.pair))
        }
        times = values.compactMap(\.time)
        let named = values.filter { !$0.isVolatile && !$0.name.isEmpty && $0.pair.hasDigit }
        for value in named { byName[value.name, default: Renaming()].add(value.pair) }
        if !byName.isEmpty { findAll(in: exchanges.compactMap { exchange in exchange.old.map { ($0, exchange.new) } }) }
        for value in named where isNamed(value) && (value.isReference || value.pair.countsAnywhere) {
            accepted.insert(value.pair)
            accepted.formUnion(value.pair.parts ?? [])
        }
        offsets = Set(accepted.flatMap { $0.numbers ?? [] }.compactMap(\.offset).filter { abs($0) >= 100 })
    }

    /// Finds the values that have a name, also those that are the same in both recordings.
    private mutating func findAll(in stubs: [(old: Stub, new: Stub)]) {
        for (old, new) in stubs {
            for (word, name) in old.response.namedWords { byName[name]?.old.append(word) }
            for (word, name) in new.response.namedWords { byName[name]?.new.insert(word) }
        }
    }

    /// Returns a Boolean value that indicates whether a value is one of these, and is where it can be: a short number is an id
    /// only where ids are written.
    func contains(_ value: Value) -> Bool {
        if value.isVolatile || accepted.contains(value.pair) && (value.isReference || value.pair.countsAnywhere) {
            return true
        }
        return isNamed(value) || value.isAlikeAndRandom || isOfClock(value) || isMade(of: value.pair)
    }

    private func isOfClock(_ value: Value) -> Bool {
        guard let time = value.time else { return false }
        return times.contains { $0.old.seconds != time.old.seconds && abs($0.seconds - time.seconds) <= 60 }
    }

    private func isNamed(_ value: Value) -> Bool {
        guard let renaming = byName[value.name] else { return false }
        return switch ServerName(value.name) {
        // One alone may be that of a song.
        case .duration: value.pair.areNumbers && renaming.isDrawn && renaming.count >= 2
        case .machine: renaming.isDrawn
        case .id: renaming.isNew && renaming.isTelling(value.pair) || renaming.isMoved
        case .number: renaming.pairs.count >= 2 && renaming.isNew && renaming.isTelling(value.pair) || renaming.isMoved
        case nil: false
        }
    }

    private func isMade(of pair: TextWords.Pair) -> Bool {
        guard let parts = pair.parts else { return false }
        return parts.allSatisfy { part in
            if part != pair, accepted.contains(part) || part.isAlikeAndRandom { return true }
            guard !part.areHexadecimal || !part.areMixed else { return true }
            return part.numbers?.allSatisfy { number in
                let isLong = number.old.utf8.count >= 3 && number.new.utf8.count >= 3
                return isLong && number.offset.map(offsets.contains) == true
                    || number != pair && accepted.contains(number)
            } ?? false
        }
    }
}

/// The values with one name in two recordings.
private struct Renaming {
    private(set) var pairs: Set<TextWords.Pair> = []
    /// The number of values that differ.
    private(set) var count = 0
    /// All values in responses of the older recording, also those that are the same in the new one.
    var old: [String] = []
    /// All values in responses of the new recording.
    var new: Set<String> = []

    mutating func add(_ pair: TextWords.Pair) {
        pairs.insert(pair)
        count += 1
    }

    /// A Boolean value that indicates whether most values differ.
    var isDrawn: Bool { count * 2 > old.count }

    /// A Boolean value that indicates whether each value has taken the place of one older value, and none has stayed.
    var isNew: Bool {
        Set(pairs.map(\.old)).count == pairs.count && Set(pairs.map(\.new)).count == pairs.count
            && new.isDisjoint(with: old)
    }

    /// A Boolean value that indicates whether all values have moved by one number.
    var isMoved: Bool { pairs.count >= 2 && offset != nil && Set(old).isSubset(of: pairs.map(\.old)) }

    /// The number by which all values have moved.
    private var offset: Int? {
        let offsets = Set(pairs.map { $0.numbers?.count == 1 ? $0.numbers?.first?.offset : nil })
        return offsets.count == 1 ? offsets.first ?? nil : nil
    }

    /// Returns a Boolean value that indicates whether a pair alone cannot be another thing's number, or a version with dots.
    func isTelling(_ pair: TextWords.Pair) -> Bool {
        guard let numbers = pair.numbers else { return pair.isTelling || pair.areHexadecimal }
        return !pair.old.contains(".") && !pair.new.contains(".")
            && numbers.allSatisfy { max($0.old.utf8.count, $0.new.utf8.count) > 1 }
    }
}

extension StubChange.Value {
    /// A Boolean value that indicates whether both words look random and are as long as each other.
    ///
    /// Where ids are written, words that differ in every second character are enough if they are nine digits, or have capitals
    /// or digits inside.
    fileprivate var isAlikeAndRandom: Bool {
        if pair.isAlikeAndRandom { return true }
        let differing = zip(pair.old.utf8, pair.new.utf8).filter { $0 != $1 }.count
        let count = pair.old.utf8.count
        guard isReference, count == pair.new.utf8.count, differing * 2 >= count else { return false }
        return [pair.old, pair.new].allSatisfy { word in
            word.withBytes { bytes in
                if bytes.allSatisfy(\.isDigit) { return count >= 9 }
                let changes = zip(bytes, bytes.dropFirst()).filter { $0.isLowercase != $1.isLowercase }.count
                return count >= 5 && changes >= 2 || count >= 8 && !bytes.contains(where: \.isLowercase)
            }
        }
    }
}

extension TextWords.Pair {
    /// The numbers that differ between words that are otherwise the same: `12` and `873` of `TASK-12` and `TASK-873`; `nil` for
    /// other words.
    fileprivate var numbers: [TextWords.Pair]? {
        let (oldRuns, newRuns) = (old.withBytes(Self.runs), new.withBytes(Self.runs))
        guard oldRuns.count == newRuns.count else { return nil }
        var result: [TextWords.Pair] = []
        for (old, new) in zip(oldRuns, newRuns) where old != new {
            guard Int(old) != nil, Int(new) != nil else { return nil }
            result.append(.init(old: old, new: new))
        }
        return result
    }

    /// The words that differ between the punctuation of both; `nil` if that is not the same.
    fileprivate var parts: [TextWords.Pair]? {
        func parts(_ word: String) -> [String.SubSequence] { word.split { !$0.isLetter && !$0.isNumber } }
        let (oldParts, newParts) = (parts(old), parts(new))
        let isSame = old.filter { !$0.isLetter && !$0.isNumber } == new.filter { !$0.isLetter && !$0.isNumber }
        guard isSame, oldParts.count == newParts.count else { return nil }
        return zip(oldParts, newParts).filter { $0 != $1 }.map { .init(old: String($0), new: String($1)) }
    }

    /// Returns the runs of digits, and what is between them.
    private static func runs(_ word: Bytes) -> [String] {
        var result: [String] = []
        var start = 0
        while start < word.count {
            let isDigit = word[start].isDigit
            let end = word.end(from: start) { $0.isDigit == isDigit }
            result.append(word.part(start..<end).text)
            start = end
        }
        return result
    }

    /// A Boolean value that indicates whether both are hexadecimal digits, and have little in common: `7f3a` and `9182`.
    fileprivate var areHexadecimal: Bool {
        let differing = zip(old.utf8, new.utf8).filter { $0 != $1 }.count
        return old.utf8.count == new.utf8.count && old.utf8.count >= 4 && differing * 4 >= old.utf8.count * 3
            && [old, new].allSatisfy { $0.utf8.allSatisfy { $0.hexValue != nil } }
    }

    fileprivate var areMixed: Bool { [old, new].allSatisfy { $0.withBytes(\.isMixed) } }

    fileprivate var areNumbers: Bool { [old, new].allSatisfy { $0.utf8.allSatisfy { $0.isDigit || $0 == .dot } } }

    fileprivate var hasDigit: Bool { [old, new].contains { $0.utf8.contains(where: \.isDigit) } }

    /// The number by which the new number is greater.
    fileprivate var offset: Int? { Int(old).flatMap { old in Int(new).map { $0 - old } } }
}

extension StubResponse {
    /// The words with digits that have a name, with it.
    fileprivate var namedWords: [(word: String, name: String)] {
        texts.flatMap { text in
            guard text.data.count <= StubChange.maximumByteCount else { return [(word: String, name: String)]() }
            return text.data.withBytes { bytes in
                TextWords.ranges(in: bytes).filter { bytes.part($0).contains(where: \.isDigit) }.compactMap { range in
                    TextWords.label(of: range, in: bytes).map { (bytes.part(range).text, $0) }
                }
            }
        }
    }
}

extension TextWords {
    /// Returns the name before a word, in lower case with `_` between its words; `nil` where there is none.
    static func label(of word: Range<Int>, in bytes: Bytes) -> String? {
        name(of: word, in: bytes).map(Placeholder.label)
    }
}
