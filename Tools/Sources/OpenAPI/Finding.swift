/// A difference between an exchange and the document.
package struct Finding: Hashable {
    package enum Kind {
        /// The exchange violates the document.
        case violation
        /// The exchange violates a recommendation: a wrong format, a read-only property in a request, or a write-only one in a
        /// response.
        case remark
        /// The document says nothing about a part of the exchange.
        case undocumented
    }

    package let kind: Kind
    /// The part of the exchange: `response.items[3].email`.
    let path: ValuePath
    let message: String
    /// The schema that the finding is based on: `#/components/schemas/User`; `nil` if there is none.
    let schema: String?

    /// The finding as one line: `response.items[3].email: must be string, is null (#/components/schemas/User)`.
    package var description: String { "\(path): \(message)" + (schema.map { " (\($0))" } ?? "") }
}

/// A place in an exchange: `response.items[3].email`.
struct ValuePath: Hashable, CustomStringConvertible {
    private enum Step: Hashable {
        case key(String)
        case index(Int)
    }

    private let root: String
    private var steps: [Step] = []

    /// Creates the path of a part of an exchange: `response`, `request.query.page`.
    init(_ root: String) { self.root = root }

    func appending(_ key: String) -> Self {
        var path = self
        path.steps.append(.key(key))
        return path
    }

    func appending(_ index: Int) -> Self {
        var path = self
        path.steps.append(.index(index))
        return path
    }

    var depth: Int { steps.count }

    /// The path with every index replaced by the first one, so that the elements of an array share it.
    var withoutIndices: Self {
        var path = self
        path.steps = steps.map { if case .index = $0 { .index(0) } else { $0 } }
        return path
    }

    var description: String {
        steps.reduce(into: root) { text, step in
            switch step {
            case .key(let key):
                let isWord = !key.isEmpty && key.allSatisfy { $0.isLetter || $0.isNumber || "_-$@".contains($0) }
                text += isWord ? ".\(key.cut(to: 60))" : "[\"\(key.cut(to: 60))\"]"
            case .index(let index): text += "[\(index)]"
            }
        }
    }
}
