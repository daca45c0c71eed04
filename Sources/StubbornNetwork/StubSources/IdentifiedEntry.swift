/// A stub, and a number that it has in every process, whatever the white space in its JSON.
struct IdentifiedEntry: Sendable {
    let entry: StubFileEntry
    let identity: UInt64

    init(_ entry: StubFileEntry) throws(SystemError) {
        self.entry = entry
        identity = try entry.identity()
    }

    /// The number of the stub, whatever the order of the keys in its JSON.
    var valueIdentity: UInt64? {
        try? StubFileEntry(rendering: entry.stub, bodyEncoding: .base64).identity()
    }
}

extension [IdentifiedEntry] {
    /// A number that tells this list from another one.
    var digest: String {
        var checksum = Checksum()
        for entry in self { entry.identity.hexadecimal.withBytes { checksum.add($0) } }
        return checksum.value.hexadecimal
    }
}
