/// The secrets that recordings of this process have recognised.
///
/// A token that one test has received may be in another test's recording, under a name that says nothing. It is replaced there
/// too, by `REDACTED-shared-1`, whose number counts nothing else. So what ran before changes no other placeholder of a
/// recording. A recording that ended before another one recognised the token still has it, and lists it.
///
/// Only what cannot be a word is kept: at least 16 characters that look random, under a strong name or in the form of a token.
/// The first 1,000 are kept, up to 256 KB. A longer word that contains one of them is another value.
final class ProcessSecrets: Sendable {
    static let process = ProcessSecrets()

    private struct State {
        var fields: [[UInt8]: SecretField] = [:]
        var finder = ValueFinder()
        var byteCount = 0
    }

    private let state = Lock(State())

    /// The number of values.
    var count: Int { state.withLock(\.fields.count) }

    /// Adds a value that a recording has recognised.
    func add(_ value: [UInt8], _ field: SecretField) {
        let isKept = value.withUnsafeBufferPointer { bytes in
            field.isStrong && field.follows && field.rule != .included && bytes.count >= 16
                && RandomText.looksDrawn(bytes)
                && SecretValues.reach(of: bytes) == .everywhere
        }
        guard isKept else { return }
        state.withLock { state in
            guard state.fields[value] == nil, state.fields.count < 1_000, state.byteCount + value.count <= 1 << 18
            else {
                return
            }
            state.fields[value] = SecretField(label: "shared", rule: field.rule)
            state.finder.insert(value, .word)
            state.byteCount += value.count
        }
    }

    /// Returns the values in a text, with their rules.
    func hits(in bytes: Bytes) -> [(hit: ValueFinder.Hit, field: SecretField)] {
        state.withLock { state in
            state.finder.hits(in: bytes).compactMap { hit in state.fields[hit.pattern.value].map { (hit, $0) } }
        }
    }
}
