import Foundation

/// The functions that are running, with readable names.
enum CallStack {
    /// The functions from the caller of this library on, at most 24.
    static var ofCaller: [String] {
        callers(in: runningFunctions().map { demangled($0) ?? $0 })
    }

    /// Returns the names of the functions from the caller of this library on, at most 24; none if all of them are the
    /// runtime's, as below an `async` function.
    static func callers(in names: [String]) -> [String] {
        let callers = names.drop { isOwn($0) || isBetween($0) || isOfTheStackItself($0) }
        let end = callers.lastIndex { !isOfRuntime($0) } ?? callers.startIndex - 1
        return Array(callers[..<(end + 1)].prefix(24))
    }

    /// Returns a Boolean value that indicates whether a function only runs others: the runtime's, the dispatch library's or
    /// the system's.
    private static func isOfRuntime(_ name: String) -> Bool {
        [
            "_ZN5swift", "swift::", "swift_", "_dispatch_", "_pthread_", "start_thread", "thread_start", "clone",
            "__clone",
        ]
        .contains { name.hasPrefix($0) } || name.hasPrefix("0x")
    }

    /// Returns the name of the function in a line of the call stack on Apple's platforms; the line if it has none.
    ///
    ///     3   Login Tests   0x0000000104c1e2f0 $s10LoginTests5loginyyF + 84
    static func functionName(inLine line: String) -> String {
        // The name of the file, and that of the function, may contain spaces.
        let words = line.split(separator: " ")
        let address = words.dropFirst(2).firstIndex { $0.hasPrefix("0x") && $0.dropFirst(2).allSatisfy(\.isHexDigit) }
        guard let address, let plus = words.lastIndex(of: "+"), plus > address + 1 else { return line }
        return words[(address + 1)..<plus].joined(separator: " ")
    }

    /// Returns a Boolean value that indicates whether a function is between a session and this library: Foundation's,
    /// which calls a protocol while a task is resumed, or the compiler's.
    private static func isBetween(_ name: String) -> Bool {
        [
            "FoundationNetworking.", "Dispatch.DispatchQueue.sync", "_dispatch_sync_", "_dispatch_lane_barrier_sync",
            "reabstraction thunk helper ", "partial apply forwarder for ",
        ].contains { name.hasPrefix($0) }
            || [" in FoundationNetworking.", " of static FoundationNetworking."].contains { name.contains($0) }
    }

    /// Returns a Boolean value that indicates whether a function only reads the stack, such as those of a sanitizer.
    private static func isOfTheStackItself(_ name: String) -> Bool {
        name.contains("callStackSymbols") || name.contains("interceptor_backtrace")
    }

    /// Returns a Boolean value that indicates whether a function is this library's, and not in another's extension of
    /// its types.
    private static func isOwn(_ name: String) -> Bool {
        [
            "StubbornNetwork.", "$s15StubbornNetwork", "static StubbornNetwork.", "(extension in StubbornNetwork):",
            "static (extension in StubbornNetwork):",
        ].contains { name.hasPrefix($0) }
            || [" in ", " of ", " for ", " in static "].contains { name.contains("\($0)StubbornNetwork.") }
    }

    private typealias Demangle =
        @convention(c) (
            UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
        ) -> UnsafeMutablePointer<CChar>?

    /// Returns the readable form of a mangled Swift name; `nil` for any other text, and if the runtime is linked statically.
    static func demangled(_ name: String) -> String? {
        guard name.hasPrefix("$s") || name.hasPrefix("$S"),
            let function = dlsym(dlopen(nil, RTLD_NOW), "swift_demangle")
        else { return nil }
        let demangle = unsafeBitCast(function, to: Demangle.self)
        guard let text = demangle(name, name.utf8.count, nil, nil, 0) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
