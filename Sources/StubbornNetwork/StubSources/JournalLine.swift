import Foundation

/// A line of a journal: a JSON object that ends with a checksum.
///
///     {"head":{"host":"mac.local","process":4711,"run":"/tmp/stubborn-run-4711-5f3a","base":"cbf29ce484222325"},"checksum":"91c25f3a0d1f5c3e"}
///     {"recording":{"key":6861442171045862462,"number":0,"replaces":true,"started":1795330000000},"stub":{"request":{…}},"checksum":"…"}
///
/// A journal is read with `jq . .Login.json.5f3a91c2.1.journal`.
struct JournalLine: Codable, Sendable {
    /// The process that writes the journal, and its run.
    struct Head: Codable, Sendable {
        var run: String
        var process = SystemProcess.current
        var host = SystemProcess.host
        /// The digest of the base when the journal was begun.
        var base: String

        /// Returns a Boolean value that indicates whether the process is alive, on a file system without locks.
        ///
        /// On this machine, it must exist. On other machines, a process counts as alive for a day after its last line.
        func isAlive(since modification: Int64) -> Bool {
            if host == SystemProcess.host { return SystemProcess.exists(process) }
            return Date().timeIntervalSince1970 - Double(modification) / 1e9 < 86_400
        }
    }

    /// The rules by which a recording replaces a stub of the base, without matchers in code.
    struct Rules: Codable, Sendable {
        /// The keys of the requests in the base, by the identities of their stubs, without the keys of the standard matchers.
        var keys: [String: UInt64]
        var volatileHeaders: [String]
        var ignored: IgnoredParts
        var volatileJSONKeys: [String]?
        var comparesHeaderFields: Bool?
        var bodyEncoding: String?
    }

    /// A stub, which follows in the line.
    struct Recording: Codable, Sendable {
        /// The number of the request in its network; a later line of the same number supersedes an earlier one.
        var number: Int
        /// The time at which the request started, in milliseconds since 1970.
        var started: Int
        /// The key of the request: requests that the matchers treat as equal have the same key.
        var key: UInt64
        var replaces: Bool?
        /// The versions that the line supersedes.
        var supersedes: [Version]?
        /// `true` if the stub has further frames of a web socket, after those in the earlier lines of the same number.
        var continues: Bool?
    }

    /// A version of a stub in which a secret was recognized later.
    ///
    /// Its line is erased. These values identify the version in a stub file.
    struct Version: Codable, Sendable {
        /// The identity of the stub, and the identity of its value.
        var identities: [UInt64]
        /// The end of the line in the journal, in bytes.
        var end: Int
    }

    /// A stub file that is about to be written.
    struct Note: Codable, Sendable {
        var digest: String
        /// The digest of the base that it is made from.
        var base: String
        /// The lengths of the journals that it is made from, by their numbers.
        var read: [String: Int]
    }

    var head: Head?
    /// The identities of the stubs of other runs that the network has loaded, before its first recording that replaces none.
    var loaded: [UInt64]?
    var rules: Rules?
    var recording: Recording?
    var wrote: Note?
    /// `true` in the last line of a recording that is complete, as far as is known; `false` if its test has failed.
    var endsWell: Bool?
    /// `true` in the line that the process that began the run adds when the whole run ends successfully.
    var endsRun: Bool?

    // MARK: Text

    private static let encoder = JSONEncoder.sortingKeys()

    private static let stubMember: StaticString = #","stub":"#

    /// Calls `body` with the parts of the line, one after the other, with a stub if the line has one.
    func forEachPart(with entry: StubFileEntry? = nil, _ body: (Bytes) -> Void) throws(SystemError) {
        guard let fields = try? Self.encoder.encode(self) else { throw SystemError(EINVAL) }
        var checksum = Checksum()
        func add(_ part: Bytes) {
            checksum.add(part)
            body(part)
        }
        fields.dropLast().withBytes(add)
        if let entry {
            Self.stubMember.withUTF8Buffer(add)
            entry.forEachPart { json in
                // On one line, because no string in JSON has a line break.
                for part in json.parts(of: 0..<json.count, separatedBy: .lineFeed) {
                    add(json.part(json.end(from: part.lowerBound) { $0 == .space }..<part.upperBound))
                }
            }
        }
        ",\"checksum\":\"\(checksum.value.hexadecimal)\"}\n".withBytes(body)
    }

    /// The length of the part after the text of the checksum, without the line break.
    private static let endByteCount = #","checksum":"0123456789abcdef"}"#.utf8.count

    /// Reads a line without its line break, and returns the range of its stub; `nil` if its checksum does not match.
    static func read(_ line: Bytes) -> (line: JournalLine, stub: Range<Int>)? {
        let end = line.count - endByteCount
        guard end > 0 else { return nil }
        var checksum = Checksum()
        checksum.add(line.part(0..<end))
        guard line.part(end..<line.count).text == ",\"checksum\":\"\(checksum.value.hexadecimal)\"}" else { return nil }
        let mark = line.part(0..<end).position(of: stubMember, from: 0)
        let fields = Data(line.part(0..<(mark ?? end))) + Data("}".utf8)
        guard let read = try? JSONDecoder().decode(JournalLine.self, from: fields) else { return nil }
        return (read, min((mark ?? end) + stubMember.utf8CodeUnitCount, end)..<end)
    }
}

extension MergeRules {
    /// Creates the rules that a line has.
    init(_ line: JournalLine.Rules) {
        volatileHeaderFields = VolatileHeaderFields(Set(line.volatileHeaders))
        ignored = line.ignored
        volatileJSONKeyPaths = line.volatileJSONKeys ?? []
        comparesHeaderFields = line.comparesHeaderFields ?? false
        bodyEncoding = line.bodyEncoding.flatMap(BodyEncoding.init(rawValue:))
        for (identity, key) in line.keys {
            if let identity = UInt64(identity, radix: 16) { keys[identity] = key }
        }
    }
}

extension JournalLine.Rules {
    /// Creates the line for rules, with the keys of the stubs in the base.
    init(_ rules: MergeRules, base: [StubFileEntry]) {
        keys = [:]
        let standard = MergeRules()
        // The keys of the standard matchers are the same in every process.
        for entry in base where rules.otherKey != nil {
            let key = rules.key(entry.stub.request)
            if key != standard.key(entry.stub.request) { keys[entry.identity.hexadecimal] = key }
        }
        volatileHeaders = rules.volatileHeaderFields.names.sorted()
        ignored = rules.ignored
        volatileJSONKeys = rules.volatileJSONKeyPaths.isEmpty ? nil : rules.volatileJSONKeyPaths
        comparesHeaderFields = rules.comparesHeaderFields
        bodyEncoding = rules.bodyEncoding?.rawValue
    }
}
