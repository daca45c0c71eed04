import SwiftSyntax

extension SyntaxProtocol {
    /// The place of the node without the white space and comments around it, in bytes from the beginning of the file.
    var bytes: Range<Int> {
        positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
    }
}

extension Syntax {
    /// A Boolean value that indicates whether nothing inside the node may be changed.
    var isLeftAlone: Bool {
        if self.is(TypeSyntax.self) { return true }
        switch self.as(SyntaxEnum.self) {
        case .attribute, .macroExpansionExpr, .macroExpansionDecl, .ifConfigDecl, .enumCaseDecl, .importDecl,
            .stringLiteralExpr, .regexLiteralExpr, .expressionPattern, .availabilityCondition:
            return true
        case .functionCallExpr(let call):
            return [
                "precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError",
                "withExtendedLifetime",
            ].contains(call.calledExpression.trimmedDescription)
        default:
            let attributes = asProtocol(WithAttributesSyntax.self)?.attributes.trimmedDescription ?? ""
            return ["@inlinable", "@_transparent", "Builder"].contains { attributes.contains($0) }
        }
    }

    /// A Boolean value that indicates whether the node is in a loop of the same function.
    var isInLoop: Bool {
        nearest { $0.is(ForStmtSyntax.self) || $0.is(WhileStmtSyntax.self) || $0.is(RepeatStmtSyntax.self) } != nil
    }

    var isInInitializer: Bool {
        var node = parent
        while let current = node, !current.is(FunctionDeclSyntax.self) {
            if current.is(InitializerDeclSyntax.self) { return true }
            node = current.parent
        }
        return false
    }

    private func nearest(_ isSought: (Syntax) -> Bool) -> Syntax? {
        var node = parent
        while let current = node, !current.is(ClosureExprSyntax.self), !current.isProtocol(DeclSyntaxProtocol.self) {
            if isSought(current) { return current }
            node = current.parent
        }
        return nil
    }
}

extension CodeBlockItemSyntax {
    /// A Boolean value that indicates whether the item may be the value of its context: the only expression of a
    /// closure, a getter, a function with a result or a branch of such an `if` or `switch`.
    var isValue: Bool {
        guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let owner = list.parent else {
            return false
        }
        if let branch = owner.as(SwitchCaseSyntax.self) { return branch.parent?.parent.map(Self.isValue) ?? true }
        guard owner.is(CodeBlockSyntax.self), let holder = owner.parent else { return true }
        switch holder.as(SyntaxEnum.self) {
        case .functionDecl(let function): return function.signature.returnClause != nil
        case .accessorDecl(let accessor): return accessor.accessorSpecifier.text == "get"
        case .ifExpr: return Self.isValue(holder)
        default: return false
        }
    }

    /// A Boolean value that indicates whether an `if` or `switch` may be a value.
    private static func isValue(_ branching: Syntax) -> Bool {
        var node = branching
        while let outer = node.parent, outer.is(IfExprSyntax.self) { node = outer }
        guard let item = node.parent?.as(ExpressionStmtSyntax.self)?.parent?.as(CodeBlockItemSyntax.self) else {
            return true
        }
        return item.isValue
    }

    /// A Boolean value that indicates whether the item returns from an `if` that is followed by other code.
    var isEarlyReturn: Bool {
        guard let condition = parent?.parent?.parent?.as(IfExprSyntax.self), condition.elseBody == nil,
            let item = condition.parent?.parent?.as(CodeBlockItemSyntax.self),
            let list = item.parent?.as(CodeBlockItemListSyntax.self)
        else { return false }
        return list.last?.id != item.id && !Syntax(self).isInInitializer
    }
}

extension InfixOperatorExprSyntax {
    var isAssignment: Bool {
        if self.operator.is(AssignmentExprSyntax.self) { return true }
        return ["+=", "-=", "*=", "/=", "|=", "&=", "^=", "&+=", "<<=", ">>="].contains(
            self.operator.trimmedDescription
        )
    }
}

extension ExprSyntax {
    /// A Boolean value that indicates whether the expression looks like a number.
    var looksLikeNumber: Bool {
        if self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self) { return true }
        let text = trimmedDescription.lowercased()
        return ["count", "index", "offset", "length", "position", "size"].contains { text.hasSuffix($0) }
    }
}

extension String {
    /// The text on one line, cut after 110 characters.
    var onOneLine: String {
        let text = split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.count > 110 ? "\(text.prefix(110))…" : text
    }
}
