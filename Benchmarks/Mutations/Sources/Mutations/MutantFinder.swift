import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds the places of a source file where a small mistake can be made.
///
/// Strings, attributes, patterns, types, preconditions and code inside `#if` are not changed. A mistake that does not
/// compile does no harm: the program drops it.
public struct MutantFinder {
    private let bytes: [UInt8]
    private let lineStarts: [Int]
    /// The local variables that are declared without a value, whose first assignment the compiler requires.
    private var unset: Set<String> = []
    private var mutants: [Mutant] = []

    /// Returns the mutants of a source text, in the order of their places.
    public static func mutants(in source: String) -> [Mutant] {
        var finder = MutantFinder(source)
        let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
        finder.noteUnset(tree)
        finder.visit(tree)
        return finder.mutants.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private init(_ source: String) {
        bytes = Array(source.utf8)
        lineStarts = [0] + source.utf8.enumerated().filter { $0.element == UInt8(ascii: "\n") }.map { $0.offset + 1 }
    }

    private mutating func noteUnset(_ node: Syntax) {
        if let variable = node.as(VariableDeclSyntax.self), variable.parent?.is(MemberBlockItemSyntax.self) != true {
            for binding in variable.bindings where binding.initializer == nil && binding.accessorBlock == nil {
                unset.insert(binding.pattern.trimmedDescription)
            }
        }
        for child in node.children(viewMode: .sourceAccurate) { noteUnset(child) }
    }

    private mutating func visit(_ node: Syntax) {
        if node.isLeftAlone { return }
        switch node.as(SyntaxEnum.self) {
        case .infixOperatorExpr(let node): findOperator(node)
        case .integerLiteralExpr(let node): findInteger(node)
        case .booleanLiteralExpr(let node):
            // If a loop may end, the compiler requires code after it.
            guard node.parent?.parent?.parent?.is(WhileStmtSyntax.self) != true else { break }
            add(.boolean, node, node.literal.text == "true" ? "false" : "true")
        case .arrayExpr(let node): findElement(node)
        case .memberAccessExpr(let node): findOtherEnd(node, node.declName, base: node.base)
        case .declReferenceExpr(let node) where node.parent?.is(FunctionCallExprSyntax.self) == true:
            findOtherEnd(node, node, base: nil)
        case .conditionElement(let node): findCondition(node)
        case .ternaryExpr(let node): negate(node.condition)
        case .continueStmt(let node): add(.loopExit, node, "break \(node.label?.text ?? "")", .statement)
        case .breakStmt(let node) where Syntax(node).isInLoop:
            add(.loopExit, node, "continue \(node.label?.text ?? "")", .statement)
        case .codeBlockItem(let node): findRemoval(node)
        default: break
        }
        for child in node.children(viewMode: .sourceAccurate) { visit(child) }
    }

    // MARK: Expressions

    private static let swaps: [String: (Mutant.Kind, String)] = [
        "<": (.boundary, "<="), "<=": (.boundary, "<"), ">": (.boundary, ">="), ">=": (.boundary, ">"),
        "==": (.comparison, "!="), "!=": (.comparison, "=="), "===": (.comparison, "!=="), "!==": (.comparison, "==="),
        "&&": (.logic, "||"), "||": (.logic, "&&"),
        "+": (.arithmetic, "-"), "-": (.arithmetic, "+"), "+=": (.arithmetic, "-="), "-=": (.arithmetic, "+="),
    ]

    private mutating func findOperator(_ node: InfixOperatorExprSyntax) {
        guard let token = node.operator.as(BinaryOperatorExprSyntax.self)?.operator else { return }
        if token.text == "??" {
            add(.defaultValue, node, node.rightOperand.trimmedDescription)
        } else if let (kind, other) = Self.swaps[token.text] {
            // A plus also joins strings and arrays; a minus does not.
            if token.text.hasPrefix("+"), !node.leftOperand.looksLikeNumber, !node.rightOperand.looksLikeNumber {
                return
            }
            if let comparison = node.comparison, comparison.isHandledAbove(comparison.border) { return }
            add(kind, node, text(of: node, replacing: token, with: other))
        }
    }

    private mutating func findInteger(_ node: IntegerLiteralExprSyntax) {
        // Each choice in a table costs the type checker time.
        if let table = node.parent?.parent?.as(ArrayElementListSyntax.self), table.count > 30 { return }
        let digits = node.literal.text.replacing("_", with: "")
        let isHexadecimal = digits.hasPrefix("0x")
        guard let value = isHexadecimal ? Int(digits.dropFirst(2), radix: 16) : Int(digits) else { return }
        // The greatest value of a type has no successor.
        let isGreatest = value >= 127 && value & (value &+ 1) == 0
        let other = isGreatest ? value - 1 : value + 1
        if let comparison = node.parent?.as(InfixOperatorExprSyntax.self)?.comparison,
            comparison.isHandledAbove(comparison.changesBelow ? min(value, other) : max(value, other))
        {
            return
        }
        add(.integer, node, isHexadecimal ? "0x\(String(other, radix: 16, uppercase: true))" : String(other))
    }

    private mutating func findElement(_ node: ArrayExprSyntax) {
        guard (2...30).contains(node.elements.count) else { return }
        var elements = node.elements.map { $0.expression.trimmedDescription }
        elements.remove(at: node.position.utf8Offset % elements.count)
        add(.element, node, "[\(elements.joined(separator: ", "))]")
    }

    private static let ends: [String: String] = {
        let pairs = [
            "first": "last", "firstIndex": "lastIndex", "min": "max", "prefix": "suffix", "hasPrefix": "hasSuffix",
            "dropFirst": "dropLast", "removeFirst": "removeLast", "startIndex": "endIndex", "lowerBound": "upperBound",
        ]
        return pairs.merging(pairs.map { ($1, $0) }) { $1 }
    }()

    private mutating func findOtherEnd(
        _ callee: some ExprSyntaxProtocol,
        _ name: DeclReferenceExprSyntax,
        base: ExprSyntax?
    ) {
        guard let other = Self.ends[name.baseName.text], name.argumentNames == nil else { return }
        // Parentheses would end an optional chain too early.
        guard base?.trimmedDescription.contains("?") != true else { return }
        let call = callee.parent?.as(FunctionCallExprSyntax.self).flatMap {
            $0.calledExpression.id == callee.id ? $0 : nil
        }
        if base == nil, callee.is(DeclReferenceExprSyntax.self), call == nil { return }
        let labels = call?.arguments.compactMap { $0.label?.text } ?? []
        guard labels.allSatisfy({ ["where", "of", "by"].contains($0) }) else { return }
        let node = call.map(ExprSyntax.init) ?? ExprSyntax(callee)
        guard node.parent?.is(InOutExprSyntax.self) != true else { return }
        if let infix = node.parent?.as(InfixOperatorExprSyntax.self), infix.isAssignment,
            infix.leftOperand.id == node.id
        {
            return
        }
        add(.otherEnd, node, text(of: node, replacing: name.baseName, with: other))
    }

    // MARK: Conditions

    private mutating func findCondition(_ node: ConditionElementSyntax) {
        guard case .expression(let condition) = node.condition else { return }
        if node.parent?.parent?.is(GuardStmtSyntax.self) == true {
            add(.guardDropped, condition, "true")
        } else {
            negate(condition)
        }
    }

    private mutating func negate(_ condition: ExprSyntax) {
        let reversed = ["==", "!=", "===", "!=="]
        if let infix = condition.as(InfixOperatorExprSyntax.self), reversed.contains(infix.operator.trimmedDescription)
        {
            return
        }
        guard !condition.is(BooleanLiteralExprSyntax.self) else { return }
        add(.condition, condition, "!(\(condition.trimmedDescription))")
    }

    // MARK: Statements

    private mutating func findRemoval(_ item: CodeBlockItemSyntax) {
        if let statement = item.item.as(ReturnStmtSyntax.self) {
            if item.isEarlyReturn { add(.earlyReturn, statement, "", .statement) }
            return
        }
        guard let expression = item.item.as(ExprSyntax.self) else { return }
        var inner = expression
        while let next = inner.as(TryExprSyntax.self)?.expression ?? inner.as(AwaitExprSyntax.self)?.expression {
            inner = next
        }
        if let infix = inner.as(InfixOperatorExprSyntax.self), infix.isAssignment {
            let target = infix.leftOperand.trimmedDescription
            guard !Syntax(item).isInInitializer, !unset.contains(target), target != "self",
                !infix.leftOperand.is(TupleExprSyntax.self)
            else { return }
            add(.assignment, expression, "", .statement)
        } else if let call = inner.as(FunctionCallExprSyntax.self) {
            let callee = call.calledExpression
            let name = callee.as(MemberAccessExprSyntax.self)?.declName.trimmedDescription ?? callee.trimmedDescription
            guard !["init", "reserveCapacity"].contains(name) else { return }
            let isVoid = ["append", "removeAll", "resume", "cancel", "finish", "sort", "signal"].contains(name)
            guard isVoid || !item.isValue else { return }
            add(.call, expression, "", .statement)
        }
    }

    // MARK: Texts

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func text(of node: some SyntaxProtocol, replacing token: TokenSyntax, with other: String) -> String {
        let (whole, part) = (node.bytes, token.bytes)
        return text(whole.lowerBound..<part.lowerBound) + other + text(part.upperBound..<whole.upperBound)
    }

    private mutating func add(
        _ kind: Mutant.Kind,
        _ node: some SyntaxProtocol,
        _ replacement: String,
        _ form: Mutant.Form = .expression
    ) {
        let range = node.bytes
        let line = lineStarts.lastIndex { $0 <= range.lowerBound } ?? 0
        let start = lineStarts[line]
        let end = bytes[range.upperBound...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let shown = replacement.isEmpty ? "/* removed */" : replacement
        let after = text(start..<range.lowerBound) + shown + text(range.upperBound..<end)
        mutants.append(
            Mutant(
                kind: kind,
                range: range,
                line: line + 1,
                replacement: replacement,
                before: text(start..<end).onOneLine,
                after: after.onOneLine,
                form: form
            )
        )
    }
}
