import Foundation

/// A run of a program without a network, and what its processes tried to reach.
struct OfflineRun {
    /// The means that blocked the network.
    enum Wall: String, Encodable {
        /// A network namespace of Linux that has only a loopback interface.
        case networkNamespace = "network-namespace"
        /// A filter of system calls, which refuses all addresses except those of the loopback interface.
        case callFilter = "call-filter"
        /// A sandbox of macOS.
        case sandbox
    }

    /// An attempt to reach another machine.
    struct Attempt: Encodable {
        enum Kind: String, Encodable { case connect, send, lookup }

        /// The name of the program.
        let process: String
        let kind: Kind
        /// The address and the port, `93.184.216.34:443`, or the name that was looked up.
        let address: String
        var count = 1

        var text: String {
            let verb =
                switch kind {
                case .connect: "connect to"
                case .send: "send to"
                case .lookup: "look up"
                }
            return "\(process): \(verb) \(address)" + (count > 1 ? " (\(count) times)" : "")
        }
    }

    let wall: Wall
    /// A Boolean value that indicates whether the attempts are known.
    let namesAttempts: Bool
    /// The exit status of the program, 128 and its number after a signal.
    let status: Int32
    /// The attempts, in the order in which they began.
    let attempts: [Attempt]
}

extension [OfflineRun.Attempt] {
    /// Adds an attempt, or adds 1 to the count of an equal one.
    mutating func add(_ kind: OfflineRun.Attempt.Kind, _ address: String, by process: String) {
        if let index = firstIndex(where: { ($0.process, $0.kind, $0.address) == (process, kind, address) }) {
            self[index].count += 1
        } else {
            append(OfflineRun.Attempt(process: process, kind: kind, address: address))
        }
    }
}

/// An Internet address, in the form of `sockaddr`.
struct SocketAddress {
    let host: String
    let port: UInt16
    let isLoopback: Bool

    /// Reads an address; `nil` for a different address family, such as the path of a local socket.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8 else { return nil }
        let family = Int32(bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) })
        port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        switch family {
        case AF_INET:
            host = bytes[4..<8].map(String.init).joined(separator: ".")
            isLoopback = bytes[4] == 127 || bytes[4..<8].allSatisfy { $0 == 0 }
        case AF_INET6 where bytes.count >= 24:
            let address = Array(bytes[8..<24])
            let isMapped = address.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
            if isMapped {
                host = address[12...].map(String.init).joined(separator: ".")
                isLoopback = address[12] == 127
                return
            }
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            _ = address.withUnsafeBytes { inet_ntop(AF_INET6, $0.baseAddress, &text, socklen_t(text.count)) }
            host = "[" + String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) + "]"
            isLoopback = address[..<15].allSatisfy { $0 == 0 } && address[15] <= 1
        default: return nil
        }
    }

    var description: String { "\(host):\(port)" }
}

/// Returns the name that a DNS message asks for (RFC 1035, section 4.1); `nil` for other data.
func nameAsked(in message: [UInt8]) -> String? {
    guard message.count > 16, message[2] & 0x80 == 0, message[4] == 0, message[5] == 1 else { return nil }
    var (labels, position) = ([String](), 12)
    while position < message.count, message[position] > 0 {
        let end = position + 1 + Int(message[position])
        guard message[position] < 64, end <= message.count else { return nil }
        labels.append(String(decoding: message[position + 1..<end], as: UTF8.self))
        position = end
    }
    return labels.isEmpty ? nil : labels.joined(separator: ".")
}
