/// The private parts of other libraries' values, read by reflection.
///
/// Documentation/Architecture.md lists them. If a version of such a library lacks a part, the caller fails with an
/// error that shows the part. A default would be a wrong answer that nobody notices.
package enum HiddenParts {
    /// Returns the part with a label, which may be an empty optional; `nil` if there is no such part in the value, its
    /// superclasses, or the parts up to `depth` levels below it.
    package static func part(_ label: String, of value: Any, depth: Int = 0) -> Any? {
        // Lazy, because each part that is read is a copy.
        let parts = sequence(first: Mirror(reflecting: value), next: \.superclassMirror).lazy.flatMap(\.children)
        if let part = parts.first(where: { $0.label == label }) { return part.value }
        guard depth > 0 else { return nil }
        return parts.compactMap { part(label, of: $0.value, depth: depth - 1) }.first
    }

    /// Returns the contents of the part with a label; `nil` if there is no such part, or if it is an empty optional.
    package static func content(_ label: String, of value: Any, depth: Int = 0) -> Any? {
        part(label, of: value, depth: depth).flatMap(unwrapped)
    }

    /// Returns the value in an optional; `nil` if there is none.
    package static func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first?.value
    }
}
