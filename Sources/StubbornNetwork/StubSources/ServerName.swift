/// The kind of value that a name says a server makes.
enum ServerName {
    /// A thing that the server names: an id, a cursor, a version of a row.
    case id
    /// A thing that the server may have counted, or that somebody has chosen: a key, a position.
    case number
    /// The machine or the process that has answered.
    case machine
    /// The time that something took.
    case duration

    /// - Parameter name: The name, in lower case with `_` between its words.
    init?(_ name: String) {
        let words = name.split(separator: "_")
        if words.contains(where: Self.durations.contains), !words.contains(where: Self.limits.contains) {
            self = .duration
        } else if let last = words.last,
            // `by` alone may name a person.
            let kind = Self.kinds.first(where: { $0.value.contains(last == "by" ? name[...] : last) })?.key
        {
            self = kind
        } else {
            return nil
        }
    }

    private static let kinds: [Self: Set<Substring>] = [
        .id: [
            "id", "ids", "uuid", "guid", "seq", "sequence", "serial", "rev", "revision", "generation", "epoch",
            "cursor", "token", "receipt", "ticket", "hash", "etag", "digest", "checksum", "signature", "nonce",
            "lsn", "session",
        ],
        .number: [
            "key", "number", "no", "nr", "num", "version", "ref", "reference", "handle", "tag", "offset", "position",
            "build", "index",
        ],
        .machine: [
            "pid", "slot", "node", "host", "hostname", "instance", "worker", "server", "runner", "pod", "machine",
            "broker", "replica", "shard", "leader", "served_by", "handled_by", "processed_by",
        ],
    ]
    private static let durations: Set<Substring> = [
        "duration", "runtime", "time", "seconds", "secs", "ms", "millis", "milliseconds", "micros", "ns", "nanos",
    ]
    private static let limits: Set<Substring> = [
        "timeout", "limit", "max", "min", "interval", "ttl", "expires", "delay", "retry", "after",
    ]
}
