import Testing

@testable import StubbornNetwork

struct PlaceholderBindingsTests {
    private static func value(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Binds names to values, one pair after the other, and returns which of them were bound.
    private func bind(_ pairs: [(String, String)]) -> (bindings: PlaceholderBindings, areBound: [Bool]) {
        var bindings = PlaceholderBindings()
        let areBound = pairs.map { name, text in
            bindings.bind(name, to: Self.value(text))
            return bindings.values[name] == Self.value(text)
        }
        return (bindings, areBound)
    }

    @Test func `a name keeps the first value that it is bound to`() {
        let (bindings, areBound) = bind([("one", "live-1"), ("one", "live-2")])
        #expect(areBound == [true, false])
        #expect(bindings.values == ["one": Self.value("live-1")])
        #expect(bindings.isBound("one", to: Self.value("live-1")) == true)
        #expect(bindings.isBound("one", to: Self.value("live-2")) == false)
        #expect(bindings.isBound("two", to: Self.value("live-1")) == nil)
    }

    @Test func `a new value takes a name over from a value that has several`() {
        // In the end the dummy has one name left, which it keeps.
        let (bindings, areBound) = bind([("one", "dummy"), ("two", "dummy"), ("two", "live-2"), ("one", "live-1")])
        #expect(areBound == [true, true, true, false])
        #expect(bindings.names(of: Self.value("dummy")) == ["one", "dummy"])
        #expect(bindings.names(of: Self.value("live-2")) == ["two", "live-2"])
    }

    @Test func `a value that has a name takes no other name over`() {
        let (_, areBound) = bind([("one", "dummy"), ("two", "dummy"), ("three", "live-3"), ("two", "live-3")])
        #expect(areBound == [true, true, true, false])
    }

    @Test(arguments: ["", "REDACTED-token-1", "REDACTED-token-2", "Bearer REDACTED-token-2"])
    func `nothing and a placeholder are not bound`(text: String) {
        let (bindings, areBound) = bind([("REDACTED-token-1", text)])
        #expect(areBound == [false])
        #expect(bindings.values.isEmpty)
    }

    @Test func `code binds a name to any value, again and again`() {
        var bindings = PlaceholderBindings()
        for text in ["a", "b"] { bindings.rebind("one", to: Self.value(text)) }
        #expect(bindings.values == ["one": Self.value("b")])
        #expect(bindings.names(of: Self.value("a")) == ["a"])
    }

    @Test(arguments: [("1234567", false), ("12345678", true), ("abcdefgh", false), ("abcdefg1", true)])
    func `a value of eight characters with a digit tells who sends a request`(text: String, isDistinctive: Bool) {
        #expect(PlaceholderBindings.isDistinctive(Self.value(text)) == isDistinctive)
    }
}
