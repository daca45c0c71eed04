/// A setting's value and its origin, as reports show it.
///
///     @Setting var order: PlaybackOrder = .sequence
///     $order.set(.firstMatch)
///     $order.origin        // set in code
@propertyWrapper package struct Setting<Value: Sendable>: Sendable {
    /// The value; changing it here keeps its origin.
    package var wrappedValue: Value
    /// The origin: `set by .stubbed(matching:) at LoginTests.swift:12, with Tests/Stubs/.stubborn.json`.
    package var origin = SettingOrigin.standard

    package init(wrappedValue: Value, origin: String = SettingOrigin.standard) {
        (self.wrappedValue, self.origin) = (wrappedValue, origin)
    }

    package var projectedValue: Self {
        get { self }
        set { self = newValue }
    }

    /// Sets the value that code asks for.
    mutating func set(_ value: Value) { self = Self(wrappedValue: value, origin: SettingOrigin.ofCode) }
}

/// The origins of settings.
package enum SettingOrigin {
    package static let standard = "default"
    /// The origin of a setting that this task changes through a property of a network.
    @TaskLocal static var ofCode = "set in code"
}
