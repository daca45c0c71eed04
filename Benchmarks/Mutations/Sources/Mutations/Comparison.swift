import SwiftSyntax

/// A comparison of a value with a whole number: `count < 1`.
///
/// A different number, or `<=` for `<`, changes the result for one value only. If earlier code has excluded that value, the mistake
/// makes no difference.
struct Comparison {
    let operand: String
    let border: Int
    /// A Boolean value that indicates whether a different number changes the result for the lesser of both numbers.
    let changesBelow: Bool

    fileprivate let node: InfixOperatorExprSyntax

    /// Returns a Boolean value that indicates whether the operand cannot have a value here, because a condition before this one, or
    /// an `if` or `guard` directly above, excludes that value.
    func isHandledAbove(_ value: Int) -> Bool {
        var node = Syntax(node)
        while let parent = node.parent, !node.is(CodeBlockItemSyntax.self) {
            if let list = parent.as(ConditionElementListSyntax.self), excludes(list.prefix { $0.id != node.id }, value)
            {
                return true
            }
            node = parent
        }
        guard let list = node.parent?.as(CodeBlockItemListSyntax.self) else { return false }
        for item in list.prefix(while: { $0.id != node.id }).reversed() {
            let expression = item.item.as(ExpressionStmtSyntax.self)?.expression ?? item.item.as(ExprSyntax.self)
            if let branch = expression?.as(IfExprSyntax.self) {
                guard branch.elseBody == nil, branch.body.leaves else { return false }
                if branch.conditions.count == 1, let condition = branch.conditions.first, says("==", condition, value) {
                    return true
                }
            } else if let exit = item.item.as(GuardStmtSyntax.self) {
                if excludes(exit.conditions, value) { return true }
            } else {
                return false
            }
        }
        return false
    }

    private func excludes(_ conditions: some Sequence<ConditionElementSyntax>, _ value: Int) -> Bool {
        conditions.contains { says("!=", $0, value) }
    }

    private func says(_ comparison: String, _ element: ConditionElementSyntax, _ value: Int) -> Bool {
        guard case .expression(let condition) = element.condition else { return false }
        return says(comparison, condition, value)
    }

    private func says(_ comparison: String, _ condition: ExprSyntax, _ value: Int) -> Bool {
        if let infix = condition.as(InfixOperatorExprSyntax.self) {
            // `a == 0 || b` also leaves for 0, and `a != 0 && b` continues only for other values.
            if infix.operator.trimmedDescription == (comparison == "==" ? "||" : "&&") {
                return says(comparison, infix.leftOperand, value) || says(comparison, infix.rightOperand, value)
            }
            return infix.operator.trimmedDescription == comparison
                && infix.leftOperand.trimmedDescription == operand
                && infix.rightOperand.trimmedDescription == "\(value)"
        }
        guard value == 0, operand.hasSuffix(".count") else { return false }
        let isEmpty = operand.dropLast(".count".count) + ".isEmpty"
        return condition.trimmedDescription == (comparison == "==" ? isEmpty : "!" + isEmpty)
    }
}

extension InfixOperatorExprSyntax {
    /// The expression as a comparison with a whole number; `nil` for any other expression.
    var comparison: Comparison? {
        let name = self.operator.trimmedDescription
        guard ["<", "<=", ">", ">="].contains(name) else { return nil }
        func number(_ side: ExprSyntax) -> Int? {
            side.as(IntegerLiteralExprSyntax.self).flatMap { Int($0.literal.text) }
        }
        if let border = number(rightOperand) {
            let operand = leftOperand.trimmedDescription
            return Comparison(operand: operand, border: border, changesBelow: "<" == name || ">=" == name, node: self)
        }
        guard let border = number(leftOperand) else { return nil }
        let operand = rightOperand.trimmedDescription
        return Comparison(operand: operand, border: border, changesBelow: ">" == name || "<=" == name, node: self)
    }
}

extension CodeBlockSyntax {
    /// A Boolean value that indicates whether the block always leaves, so that the code after it is not reached.
    fileprivate var leaves: Bool {
        guard let last = statements.last?.item else { return false }
        return last.is(ReturnStmtSyntax.self) || last.is(ThrowStmtSyntax.self) || last.is(BreakStmtSyntax.self)
            || last.is(ContinueStmtSyntax.self)
    }
}
