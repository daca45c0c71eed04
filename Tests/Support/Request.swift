import Foundation

extension LoopbackServer {
    /// A request as it came over the wire, its body decoded from chunks where it was sent in chunks.
    public struct Request: Sendable {
        /// The method as sent: `GET`.
        public let method: String

        /// The request target as sent, neither decoded nor normalised: `/search?q=a%20b`.
        public let target: String

        /// The protocol of the request line: `HTTP/1.1`.
        public let version: String

        /// The header fields in the order and spelling in which they came, repeated ones separate.
        ///
        /// A value that is not UTF-8 is read as Latin-1.
        public let headers: [(name: String, value: String)]

        /// The body; empty if there was none.
        public let body: Data

        let counters: Monitor<[String: Int]>

        /// The target up to its query: `/search`.
        public var path: String {
            target.prefix { $0 != "?" }.description
        }

        /// The names and values of the query, percent-decoded, in order; a name without `=` has an empty value.
        public var query: [(name: String, value: String)] {
            guard let mark = target.firstIndex(of: "?") else { return [] }
            return target[target.index(after: mark)...].split(separator: "&").map { item in
                let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
            }
        }

        /// The first value of a query item.
        public func query(_ name: String) -> String? {
            query.first { $0.name == name }?.value
        }

        /// The first value of a header field, whatever its case.
        public func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// One more than the last time this server was asked for `name`, from 1.
        ///
        /// Lets a handler answer differently each time without state of its own.
        public func nextNumber(for name: String) -> Int {
            counters.withLock { counters in
                counters[name, default: 0] += 1
                return counters[name, default: 0]
            }
        }

        /// The parts of the path between slashes, percent-decoded.
        var pathComponents: [String] {
            path.split(separator: "/").map(Self.decoded)
        }

        private static func decoded(_ text: Substring) -> String {
            text.removingPercentEncoding ?? String(text)
        }
    }
}
