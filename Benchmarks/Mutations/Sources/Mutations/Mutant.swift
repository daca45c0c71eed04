/// A small mistake in a source file.
public struct Mutant: Equatable, Sendable {
    /// The kind of a mistake, with a description as its raw value.
    public enum Kind: String, Sendable {
        case boundary = "comparison boundary"
        case comparison = "comparison reversed"
        case logic = "and for or"
        case condition = "condition negated"
        case guardDropped = "guard dropped"
        case loopExit = "break for continue"
        case integer = "integer changed"
        case boolean = "Boolean changed"
        case call = "call removed"
        case assignment = "assignment removed"
        case earlyReturn = "early return removed"
        case arithmetic = "plus for minus"
        case otherEnd = "other end"
        case element = "array element dropped"
        case defaultValue = "default always used"
    }

    enum Form { case expression, statement }

    /// The kind of the mistake.
    public let kind: Kind
    /// The place of the original text, in bytes from the beginning of the file.
    public let range: Range<Int>
    /// The line of the place, counted from 1.
    public let line: Int
    /// The text that replaces the original; empty if a statement is removed.
    public let replacement: String
    /// The source line without the mistake.
    public let before: String
    /// The source line with the mistake.
    public let after: String
    let form: Form

    /// The text to insert before and after the original, so that both versions are compiled and a number chooses one.
    func switching(_ number: Int) -> (prefix: String, suffix: String) {
        switch form {
        case .expression: ("(isMutant(\(number)) ? (\(replacement)) : (", "))")
        case .statement: ("if isMutant(\(number)) { \(replacement) } else { ", " }")
        }
    }
}
