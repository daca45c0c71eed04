/// The live values that the placeholders in recorded stubs stand for.
///
/// A name keeps the first value that it is bound to. If that value belongs to several names, a new value may take one of them
/// over.
struct PlaceholderBindings: Sendable {
    private(set) var values: [String: [UInt8]] = [:]
    /// The placeholders that are bound to a value.
    private(set) var names: [[UInt8]: Set<String>] = [:]

    /// The latest values that differ each time, by their placeholders.
    private(set) var volatileValues: [String: [UInt8]] = [:]

    /// The recorded values that differ each time, and that older stubs have as they were.
    private(set) var literals: [String] = []

    /// Returns the placeholders that stand for a value: those that are bound to it, and the one that it is.
    func names(of value: [UInt8]) -> Set<String> {
        (names[value] ?? []).union([String(decoding: value, as: UTF8.self)])
    }

    /// Returns a Boolean value that indicates whether a placeholder stands for a value; `nil` where that is not known.
    func isBound(_ name: String, to value: [UInt8]) -> Bool? {
        if name.utf8.elementsEqual(value) { return true }
        return values[name].map { $0 == value }
    }

    /// Returns a Boolean value that indicates whether none of the wildcards at some offsets has a known value.
    func areUnbound(_ wildcards: [Wildcard], _ offsets: [Int]) -> Bool {
        offsets.allSatisfy { wildcards[$0].name.flatMap { values[$0] } == nil }
    }

    /// Binds a placeholder to a value, if it has none and the value is neither empty nor a placeholder.
    ///
    /// - Returns: A Boolean value that indicates whether the placeholder was bound.
    mutating func bind(_ name: String, to value: [UInt8]) -> Bool {
        guard !value.isEmpty, mayBind(name, to: value), !value.withUnsafeBufferPointer(Placeholder.isIn),
            !name.utf8.elementsEqual(value)
        else { return false }
        rebind(name, to: value)
        return true
    }

    private func mayBind(_ name: String, to value: [UInt8]) -> Bool {
        guard let old = values[name] else { return true }
        return names[old, default: []].count > 1 && names[value, default: []].isEmpty
    }

    /// Binds a placeholder to a value, whatever it was bound to before.
    mutating func rebind(_ name: String, to value: [UInt8]) {
        if let old = values[name] { names[old]?.remove(name) }
        values[name] = value
        names[value, default: []].insert(name)
    }

    mutating func note(volatile value: [UInt8], for placeholder: String) {
        guard !value.isEmpty else { return }
        let isNew = volatileValues.updateValue(value, forKey: placeholder) == nil
        if isNew, PlaceholderSubstitution.isGivenBack(placeholder) { literals.append(placeholder) }
    }

    /// Returns a Boolean value that indicates whether a value alone identifies the sender of a request: it is long, with
    /// digits.
    static func isDistinctive(_ value: [UInt8]) -> Bool { value.count >= 8 && value.contains(where: \.isDigit) }
}
