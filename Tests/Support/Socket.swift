import Foundation

#if !canImport(Darwin)
    import Glibc
#else
    import Darwin
#endif

/// A stream socket on the loopback interface: the only place that speaks to the system's socket functions.
///
/// A plain descriptor without ownership: whoever makes one closes it, once.
struct Socket: Sendable, Hashable {
    let descriptor: Int32

    /// A socket that listens on a free port of 127.0.0.1, and that port.
    static func listening() throws -> (socket: Socket, port: UInt16) {
        raiseDescriptorLimit()
        let socket = try make()
        do {
            var address = loopbackAddress(port: 0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    try check(bind(socket.descriptor, address, length), "bind")
                    try check(getsockname(socket.descriptor, address, &length), "getsockname")
                }
            }
            try check(listen(socket.descriptor, 1024), "listen")
            // Not to be caught in accept() by a client that went away after poll() had announced it.
            try check(fcntl(socket.descriptor, F_SETFL, O_NONBLOCK), "fcntl")
            return (socket, UInt16(bigEndian: address.sin_port))
        } catch {
            socket.close()
            throw error
        }
    }

    /// Returns a socket that holds a port of 127.0.0.1 and does not listen, or `nil` if the port is in use.
    ///
    /// Connections to the port are refused, and nobody else is given the port.
    static func holding(_ port: UInt16) -> Socket? {
        guard let socket = try? make() else { return nil }
        var reuses: Int32 = 1
        setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
        var address = loopbackAddress(port: port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket.descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result == 0 { return socket }
        socket.close()
        return nil
    }

    /// A socket connected to a port of 127.0.0.1.
    static func connected(to port: UInt16) throws -> Socket {
        let socket = try make()
        do {
            var address = loopbackAddress(port: port)
            try withUnsafePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
                    try check(connect(socket.descriptor, address, length), "connect")
                }
            }
            return socket
        } catch {
            socket.close()
            throw error
        }
    }

    /// Two sockets connected with each other; closing one makes the other readable.
    static func pair() throws -> (Socket, Socket) {
        var descriptors: [Int32] = [-1, -1]
        try check(socketpair(AF_UNIX, streamType, 0, &descriptors), "socketpair")
        return (Socket(descriptor: descriptors[0]), Socket(descriptor: descriptors[1]))
    }

    /// Waits until a connection can be accepted or `other` is readable; true if `other` is.
    func waitForConnection(or other: Socket) -> Bool {
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&polled, 2, -1)
        return polled[1].revents != 0
    }

    /// The next connection; nil if there is none, or the system has no descriptor left for it.
    func accept() -> Socket? {
        #if !canImport(Darwin)
            let accepted = Glibc.accept(descriptor, nil, nil)
        #else
            let accepted = Darwin.accept(descriptor, nil, nil)
        #endif
        guard accepted >= 0 else { return nil }
        let socket = Socket(descriptor: accepted)
        _ = fcntl(accepted, F_SETFL, 0)
        socket.configure()
        return socket
    }

    /// The next bytes, at most `count`; empty at the end of the stream.
    func receive(upTo count: Int = 65_536) throws -> Data {
        var data = Data(count: count)
        while true {
            let received = data.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if received >= 0 { return data.prefix(received) }
            guard errno == EINTR else { throw SocketError(call: "recv", code: errno) }
        }
    }

    /// Sends all of `data`; blocks while the other side does not read, until `shutDown()`.
    func send(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                #if !canImport(Darwin)
                    let count = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                #else
                    let count = Darwin.send(descriptor, rest.baseAddress, rest.count, 0)
                #endif
                if count >= 0 {
                    sent += count
                } else if errno != EINTR {
                    throw SocketError(call: "send", code: errno)
                }
            }
        }
    }

    /// Makes `receive` fail when nothing came for so long.
    func setReceiveTimeout(seconds: Int) {
        setOption(SO_RCVTIMEO, timeval(tv_sec: seconds, tv_usec: 0))
    }

    /// Limits the bytes that the system keeps unread, of this socket and of the connections that it accepts.
    func setReceiveBuffer(byteCount: Int32) {
        setOption(SO_RCVBUF, byteCount)
    }

    /// Makes `close()` send a reset (RST) instead of an orderly end (FIN).
    func resetOnClose() {
        setOption(SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    /// Tells the other side that no more bytes come (FIN).
    func finishSending() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends both directions; whoever is blocked in `receive` or `send` wakes up.
    ///
    /// The descriptor stays reserved.
    func shutDown() {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }

    func close() {
        #if !canImport(Darwin)
            _ = Glibc.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }

    private static var streamType: Int32 {
        #if !canImport(Darwin)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    private static func make() throws -> Socket {
        let socket = Socket(descriptor: socket(AF_INET, streamType, 0))
        try check(socket.descriptor, "socket")
        socket.configure()
        return socket
    }

    private static func loopbackAddress(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        return address
    }

    private static func check(_ result: Int32, _ call: String) throws {
        guard result >= 0 else { throw SocketError(call: call, code: errno) }
    }

    private func configure() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, [Int32(1)], socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
            setOption(SO_NOSIGPIPE, Int32(1))
        #endif
    }

    private func setOption<Value>(_ option: Int32, _ value: Value) {
        _ = withUnsafePointer(to: value) { pointer in
            setsockopt(descriptor, SOL_SOCKET, option, pointer, socklen_t(MemoryLayout<Value>.size))
        }
    }

    /// Both ends of each connection are in this process, and some systems allow it no more than 256 descriptors.
    private static func raiseDescriptorLimit() {
        #if !canImport(Darwin)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < 4096 else { return }
        limit.rlim_cur = min(4096, limit.rlim_max)
        _ = setrlimit(resource, &limit)
    }
}

/// A socket function that failed.
///
///     connect: Connection refused
struct SocketError: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    var isReset: Bool { code == ECONNRESET }

    var description: String { "\(call): \(String(cString: strerror(code)))" }
}
