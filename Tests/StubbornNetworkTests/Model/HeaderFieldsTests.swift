import Testing

@testable import StubbornNetwork

struct HeaderFieldsTests {
    @Test func `names are compared without regard to case`() {
        let fields: HeaderFields = ["Content-Type": "text/plain"]
        #expect(fields["content-type"] == "text/plain")
    }

    @Test func `repeated fields are kept apart, and joined when read as one`() {
        let fields: HeaderFields = ["Set-Cookie": "a=1", "Vary": "Accept", "set-cookie": "b=2"]
        #expect(fields.values(named: "SET-COOKIE") == ["a=1", "b=2"])
        #expect(fields["Set-Cookie"] == "a=1, b=2")
        #expect(fields.combined == ["Set-Cookie": "a=1, b=2", "Vary": "Accept"])
    }

    @Test func `setting a field replaces the first of its name and removes the others`() {
        var fields: HeaderFields = ["A": "1", "B": "2", "a": "3"]
        fields["a"] = "4"
        #expect(fields.map(\.name) == ["A", "B"])
        #expect(fields["A"] == "4")
        fields["A"] = nil
        #expect(fields.map(\.name) == ["B"])
    }

    @Test func `equality depends on the order of a name's values, not on the order of names`() {
        let fields: HeaderFields = ["A": "1", "B": "2"]
        #expect(fields == ["b": "2", "a": "1"])
        let repeated: HeaderFields = ["A": "1", "A": "2"]
        #expect(repeated != ["A": "2", "A": "1"])
    }
}
